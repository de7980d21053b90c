"""aria2.addMetalink: a download for each file of a Metalink, which comes in Base64."""

import base64
import hashlib
from xml.sax.saxutils import quoteattr

from behaviours import content
from outcome import Cases, LeftOut, holds, same

cases = Cases()
NAMESPACE = "urn:ietf:params:xml:ns:metalink"


def document(*files):
    text = f'<?xml version="1.0" encoding="UTF-8"?><metalink xmlns="{NAMESPACE}">{"".join(files)}</metalink>'
    return base64.b64encode(text.encode()).decode()


def file(name, *urls, size=None, digest=None, pieces=None):
    length = f"<size>{size}</size>" if size is not None else ""
    whole = f'<hash type="sha-256">{digest}</hash>' if digest else ""
    parts = ""
    if pieces:
        hashes = "".join(f"<hash>{piece}</hash>" for piece in pieces[1])
        parts = f'<pieces length="{pieces[0]}" type="sha-256">{hashes}</pieces>'
    sources = "".join(f'<url priority="{number}">{url}</url>' for number, url in enumerate(urls, 1))
    return f"<file name={quoteattr(name)}>{length}{whole}{parts}{sources}</file>"


def sha256(data):
    return hashlib.sha256(data).hexdigest()


@cases("a Metalink is a gid for each file, under its names and verified")
def files(it):
    upload = document(file("a.bin", it.files.url("file/70001/x"), size=70001, digest=sha256(content(70001))),
                      file("below/b.bin", it.files.url("file/5/y")))
    gids = it.result("addMetalink", upload)
    same(len(gids), 2, "gids")
    for gid, name, size in ((gids[0], "a.bin", 70001), (gids[1], "below/b.bin", 5)):
        it.until_state(gid, "complete")
        same((it.directory / name).read_bytes(), content(size), name)
        same(it.result("getFiles", gid)[0]["path"], str(it.directory / name), "path")


@cases("a file with a wrong digest is error 32, and the others of its Metalink are not")
def wrong_digest(it):
    gids = it.result("addMetalink", document(
        file("bad.bin", it.files.url("file/3000/bad"), digest="0" * 64),
        file("good.bin", it.files.url("file/3000/good"))))
    it.until_state(gids[0], "error")
    it.until_state(gids[1], "complete")
    same(it.status(gids[0], "errorCode")["errorCode"], "32", "errorCode")
    holds(it.is_aria2 or not (it.directory / "bad.bin").exists(), "the wrong file has its name")


@cases("all sources of a file are its URIs; one that fails gives its place to the next")
def sources(it):
    urls = [it.files.url("status/404/s"), it.files.url("file/90000/s")]
    (gid,) = it.result("addMetalink", document(file("s.bin", *urls)))
    it.until_state(gid, "complete")
    same((it.directory / "s.bin").read_bytes(), content(90000), "file")
    same({one["uri"] for one in it.result("getFiles", gid)[0]["uris"]} >= {urls[1]}, True, "uris")


@cases("digests of pieces find the bytes of a wrong source, and they are fetched from another")
def pieces(it):
    if it.is_aria2:
        raise LeftOut("aria2c notes a wrong piece and asks the same source for it again")
    right, length = content(400_000), 1 << 17
    digests = [sha256(right[begin:begin + length]) for begin in range(0, len(right), length)]
    (gid,) = it.result("addMetalink", document(
        file("p.bin", it.files.url("zeros/400000/p"), it.files.url("file/400000/p"), size=len(right),
             pieces=(length, digests))))
    it.until_state(gid, "complete", "error")
    same((it.directory / "p.bin").read_bytes(), right, "file")


@cases("options count for all files, but out, gid and checksum for none")
def options(it):
    upload = document(file("one.bin", it.files.url("file/10/one")), file("two.bin", it.files.url("file/10/two")))
    gids = it.result("addMetalink", upload, {
        "pause": "true", "out": "mine.bin", "gid": "00000000000000ab", "header": ["X-A: 1"],
        "dir": str(it.directory / "there")})
    same([it.state(gid) for gid in gids], ["paused", "paused"], "states")
    holds("00000000000000ab" not in gids, "the gid is that of a file")
    for gid, name in zip(gids, ("one", "two"), strict=True):
        it.result("unpause", gid)
        it.until_state(gid, "complete")
        same((it.directory / f"there/{name}.bin").read_bytes(), content(10), name)
        same(it.files.asked(f"/10/{name}")[-1]["X-A"], "1", "header")


@cases("a position puts all files there, in their order")
def position(it):
    first, second = it.paused(), it.paused()
    upload = document(*(file(f"{name}.bin", it.files.url(f"late/{name}")) for name in "xyz"))
    gids = it.result("addMetalink", upload, {"pause": "true"}, 1)
    same(it.waiting(), [first, *gids, second], "order")


@cases("select-file chooses files by their numbers")
def selection(it):
    upload = document(*(file(f"{name}.bin", it.files.url(f"late/{name}")) for name in "abcde"))
    gids = it.result("addMetalink", upload, {"pause": "true", "select-file": "1,3-4"})
    names = [it.result("getFiles", gid)[0]["path"].rsplit("/", 1)[1] for gid in gids]
    same(names, ["a.bin", "c.bin", "d.bin"], "names")


@cases("a Metalink inside a multicall and over a WebSocket")
def ways(it):
    def upload(name):
        return document(file(f"{name}.bin", it.files.url(f"late/{name}")))

    calls = [{"methodName": "aria2.addMetalink", "params": [it.token, upload(name), {"pause": "true"}]}
             for name in "ab"]
    results = it.post({"id": 1, "method": "system.multicall", "params": [calls]}).result
    answer = it.over_websocket(it.request("addMetalink", upload("c"), {"pause": "true"}))
    same(it.waiting(), [gid for (gids,) in results for gid in gids] + answer.result, "downloads")
    holds("aria2.addMetalink" in it.result("system.listMethods"), "it is not listed")


@cases("what is no Metalink is an error, and adds nothing")
def broken(it):
    whole = base64.b64decode(document(file("a.bin", it.files.url("late/a"))))
    for upload in ("!!!", "", base64.b64encode(whole[:-30]).decode()):
        answer = it.call("addMetalink", upload)
        same((answer.code, answer.status), (1, 400), f"error of {upload[:20]!r}")
        holds(answer.message.startswith("Could not parse Metalink XML document"), answer.message)
    for params, message in (
            ([], "The parameter at 0 is required but missing."), ([5], "The parameter at 0 has wrong type."),
            ([document(), []], "The parameter at 1 has wrong type."),
            ([document(), {}, -1], "Position must be greater than or equal to 0."),
            ([document(), {"split": "0"}], "We encountered a problem while processing the option '--split'.")):
        it.refused(it.call("addMetalink", *params), message)
    same(it.waiting() + it.active(), [], "downloads")


@cases("a name that leads out of the directory is an error, and adds none of the files")
def outside(it):
    for name in ("../up.bin", "/etc/passwd", "a/../../b"):
        answer = it.call("addMetalink", document(file("a.bin", it.files.url("late/a")),
                                                 file(name, it.files.url("late/b"))), {"pause": "true"})
        same((answer.code, answer.status), (1, 400), f"error of {name!r}")
    same(it.waiting() + it.active(), [], "downloads")


@cases("dir outside of the daemon's directories is refused, and adds none of the files")
def fence(it):
    if it.is_aria2:
        raise LeftOut("aria2c has no fence")
    upload = document(file("a.bin", it.files.url("late/a")), file(".hidden", it.files.url("late/b")))
    for options in ({"dir": "/etc"}, {"pause": "true"}):
        same(it.call("addMetalink", upload, options).code, 1, f"error with {options}")
    same(it.waiting() + it.active(), [], "downloads")
