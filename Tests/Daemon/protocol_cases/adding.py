"""aria2.addUri: its parameters, gids, places and options."""

import hashlib
import pathlib

from behaviours import content
from outcome import Cases, holds, same
from stand import new_gid

cases = Cases()


@cases("a file is downloaded into dir, under its name or out")
def downloads(it):
    gid = it.add("file/70001/a.bin")
    other = it.add("file/70002/a.bin", out="other.bin")
    below = it.add("file/5/b.bin", out="deep/er/c.bin")
    deep = it.differs(it.directory, it.directory / "deep/er", "dir is the directory of the file")
    for one, name, size, directory in (
            (gid, "a.bin", 70001, it.directory), (other, "other.bin", 70002, it.directory),
            (below, "deep/er/c.bin", 5, deep)):
        it.until_state(one, "complete")
        same((it.directory / name).read_bytes(), content(size), name)
        same(it.status(one, "dir")["dir"], str(directory), "dir")
        same(it.result("getFiles", one)[0]["path"], str(it.directory / name), "path")


@cases("with continue a complete file is that of the same address and name; another address's gets another name")
def complete(it):
    gids = []
    for path in ("file/70001/a.bin", "file/70001/a.bin", "file/60000/a.bin"):
        gids.append(it.add(path, out="same.bin", **{"continue": "true"}))
        it.until_state(gids[-1], "complete")
    names = [it.result("getFiles", gid)[0]["path"] for gid in gids]
    same(names, [str(it.directory / name) for name in ("same.bin", "same.bin", "same.1.bin")], "paths")
    same((it.directory / "same.bin").read_bytes(), content(70001), "file")
    same((it.directory / "same.1.bin").read_bytes(), content(60000), "another file")


@cases("a download that was removed and is added again goes on under its name, as front-ends retry one")
def removed(it):
    gid = it.add("slow/300000/1500000/r.bin", out="again.bin")
    it.until_bytes(gid)
    it.result("remove", gid)
    it.until_state(gid, "removed")
    again = it.add("slow/300000/1500000/r.bin", out="again.bin")
    it.until_state(again, "complete")
    same(it.result("getFiles", again)[0]["path"], str(it.directory / "again.bin"), "path")
    same((it.directory / "again.bin").read_bytes(), content(1_500_000), "file")
    same(sorted(path.name for path in it.directory.iterdir() if path.name.startswith("again")), ["again.bin"], "files")


@cases("dir may name a directory below that does not exist yet")
def below(it):
    gid = it.add("file/5/b.bin", dir=str(it.directory / "new/dir"))
    it.until_state(gid, "complete")
    same((it.directory / "new/dir/b.bin").read_bytes(), content(5), "file")
    same(it.status(gid, "dir")["dir"], str(it.directory / "new/dir"), "dir")


@cases("the name in a URL is decoded")
def decoded(it):
    gid = it.add("file/5/a%20b%C3%BC.bin")
    it.until_state(gid, "complete")
    same((it.directory / "a bü.bin").read_bytes(), content(5), "file")


@cases("several URIs are sources of one file")
def sources(it):
    urls = [it.files.url(f"file/3000000/{name}.bin") for name in ("one", "two")]
    gid = it.result("addUri", urls, {"out": "s.bin"})
    it.until_state(gid, "complete")
    same((it.directory / "s.bin").read_bytes(), content(3_000_000), "file")
    uris = {one["uri"] for one in it.result("getFiles", gid)[0]["uris"]}
    same(uris, set(urls), "uris")


@cases("a first source that fails gives its place to the second")
def second_source(it):
    gid = it.result("addUri", [it.files.url("status/404/s.bin"), it.files.url("file/999/s.bin")])
    it.until_state(gid, "complete")
    same((it.directory / "s.bin").read_bytes(), content(999), "file")


@cases("gids are 16 lowercase digits of 16; one may be given, in any case")
def gids(it):
    made = it.result("addUri", [it.files.url("late/a")], {"pause": "true"})
    same((len(made), made), (16, f"{int(made, 16):016x}"), "gid")
    given = new_gid()[:-4] + "ABCD"
    same(it.result("addUri", [it.files.url("late/a")], {"pause": "true", "gid": given}), given.lower(), "given gid")


@cases("a gid that is taken or malformed is an error, and adds nothing")
def bad_gids(it):
    taken = it.paused()
    for gid in (taken, taken.upper(), "xyz", "12", "0" * 16, taken + "0", ""):
        answer = it.call("addUri", [it.files.url("late/b")], {"gid": gid})
        same((answer.code, answer.status), (1, 400), f"gid {gid!r}")
    same(it.waiting() + it.active(), [taken], "downloads")


@cases("parameters that are missing or of wrong type are errors with aria2's words")
def wrong(it):
    url = it.files.url("late/a")
    for params, message in (
            ([], "The parameter at 0 is required but missing."), ([5], "The parameter at 0 has wrong type."),
            ([url], "The parameter at 0 has wrong type."),
            ([[]], "URI is not provided."), ([[5]], "URI is not provided."),
            ([[url], 5], "The parameter at 1 has wrong type."), ([[url], [], 0], "The parameter at 1 has wrong type."),
            ([[url], {}, "0"], "The parameter at 2 has wrong type."),
            ([[url], {}, -1], "Position must be greater than or equal to 0.")):
        it.refused(it.call("addUri", *params), message)
    same(it.waiting() + it.active(), [], "downloads")


@cases("an address that cannot be downloaded is an error")
def bad_urls(it):
    for url in ("nope", "mailto:a@b", "", "http://", "file:///etc/passwd", "ftp:x"):
        answer = it.call("addUri", [url])
        same((answer.code, answer.status), (1, 400), f"code for {url!r}")
    same(it.waiting() + it.active(), [], "downloads")


@cases("a position puts a download before others; one beyond the end puts it there")
def position(it):
    first, second = it.paused(), it.paused()
    url, third, fourth = it.files.url("late/c"), new_gid(), new_gid()
    it.result("addUri", [url], {"gid": third, "pause": "true"}, 1)
    it.result("addUri", [url], {"gid": fourth, "pause": "true"}, 10**6)
    same(it.waiting(), [first, third, second, fourth], "order")
    fifth = new_gid()
    it.result("addUri", [url], {"gid": fifth, "pause": "true"}, 0)
    same(it.waiting(), [fifth, first, third, second, fourth], "order")


@cases("pause must be the text true: other types are passed over")
def pause(it):
    same(it.state(it.paused()), "paused", "state")
    gid = it.add("late/a", pause=True)
    it.until_state(gid, "active", "waiting")


@cases("options with bad values are errors, and add nothing")
def bad_options(it):
    for name, value in (("split", "x"), ("split", "0"), ("checksum", "sha-256=12"), ("checksum", "nope=12"),
                        ("max-download-limit", "-1"), ("allow-overwrite", "maybe"), ("max-connection-per-server", "0")):
        answer = it.call("addUri", [it.files.url("late/a")], {name: value})
        words = f"We encountered a problem while processing the option '--{name}'."
        if name == "checksum" and not it.differs(True, False, "the error of a digest says what is wrong with it"):
            words = answer.message
        it.refused(answer, words)
    same(it.waiting() + it.active(), [], "downloads")


@cases("unknown options and values that are no texts are passed over")
def unknown_options(it):
    gid = it.paused(nope="x", split=5, bt_max_peers="3")
    holds("nope" not in it.result("getOption", gid), "nope is shown")
    same(it.state(gid), "paused", "state")


@cases("headers, referer, user agent and password are sent, and as a list or in lines")
def headers(it):
    for name, header in (("h1", ["X-A: 1", "X-B: 2"]), ("h2", "X-A: 1\nX-B: 2\n")):
        gid = it.add(f"file/10/{name}.bin", header=header, referer="http://r.example/", user_agent="UA/1",
                     http_user="u", http_passwd="p")
        it.until_state(gid, "complete")
        sent = it.files.asked(name)[-1]
        same([sent[field] for field in ("X-A", "X-B", "Referer", "User-Agent")],
             ["1", "2", "http://r.example/", "UA/1"], name)
    gid = it.add("file/10/h3.bin", http_user="u", http_passwd="p")
    it.until_state(gid, "complete")
    same(it.files.asked("h3.bin")[-1]["Authorization"] in (None, "Basic dTpw"), True, "Authorization")


@cases("a right checksum completes")
def checksum(it):
    digest = hashlib.sha256(content(5000)).hexdigest()
    gid = it.add("file/5000/sum.bin", checksum=f"sha-256={digest}")
    it.until_state(gid, "complete")
    same(it.result("getOption", gid)["checksum"], f"sha-256={digest}", "checksum")


@cases("a file that exists is kept, and the new one gets a number")
def renamed(it):
    (it.directory / "x.bin").write_bytes(b"mine")
    gid = it.add("file/100/x.bin")
    it.until_state(gid, "complete")
    same((it.directory / "x.bin").read_bytes(), b"mine", "the file that was there")
    path = it.result("getFiles", gid)[0]["path"]
    same(pathlib.Path(path).read_bytes(), content(100), "the new one")
    same(path, str(it.directory / "x.1.bin"), "its name")


@cases("allow-overwrite replaces a file")
def overwritten(it):
    (it.directory / "x.bin").write_bytes(b"old")
    it.until_state(it.add("file/100/x.bin", allow_overwrite="true"), "complete")
    same((it.directory / "x.bin").read_bytes(), content(100), "file")


@cases("auto-file-renaming=false with a file that exists is error 13")
def exists(it):
    (it.directory / "x.bin").write_bytes(b"mine")
    gid = it.add("file/100/x.bin", auto_file_renaming="false")
    it.until_state(gid, "error")
    same(it.status(gid, "errorCode")["errorCode"], "13", "errorCode")
    same((it.directory / "x.bin").read_bytes(), b"mine", "file")


@cases("max-download-limit holds a download back")
def limited(it):
    gid = it.add("file/4000000/limited.bin", max_download_limit="100K")
    it.until_bytes(gid)
    same(it.state(gid), "active", "state")
    same(it.result("getOption", gid)["max-download-limit"], "102400", "limit in bytes")


@cases("torrents and Metalinks that are none are clean errors")
def torrents(it):
    for method in ("addTorrent", "addMetalink"):
        for content64 in ("AAAA", "!!"):
            answer = it.call(method, content64)
            same((answer.code, answer.status), (1, 400), method)
    same(it.waiting() + it.active(), [], "downloads")
