"""Files of this machine: outside the directory, by names, links, options and addresses."""

import rpc
from behaviours import content
from daemons import until
from outcome import Cases, holds, same
from stand import FINAL

cases = Cases()
VICTIM = b"what was there before\n"


def outside(it):
    """A directory beside the fence, with a file in it that must stay as it is."""
    made = it.daemon.home / "outside"
    made.mkdir(exist_ok=True)
    (made / "victim").write_bytes(VICTIM)
    return made


def untouched(it, what):
    there = sorted(path.name for path in (it.daemon.home / "outside").rglob("*"))
    same(there, ["victim"], f"files outside after {what}")
    same((it.daemon.home / "outside/victim").read_bytes(), VICTIM, f"the victim after {what}")
    strays = [path.name for path in it.daemon.home.iterdir() if "evil" in path.name]
    same(strays, [], f"files beside the directory after {what}")


def settle(it, answer):
    """Lets a download end that was taken, so that what it writes is written."""
    if "result" in answer.body:
        it.until_state(answer.result, *FINAL)


def attempt(it, options, path="file/10/evil"):
    answer = it.call("addUri", [it.files.url(path)], options)
    settle(it, answer)
    untouched(it, f"{path} with {options}")
    return answer


@cases("addUri with a dir outside the directory")
def directory(it):
    target = outside(it)
    for value in (str(target), f"{it.directory}/../outside", f"{it.directory}/x/../../outside", f"{target}/deep/er",
                  f"//{target}", str(it.directory) + "evil"):
        attempt(it, {"dir": value})


@cases("addUri with a relative dir that leaves the directory")
def relative_directory(it):
    outside(it)
    for value in ("../outside", "x/../../outside"):
        attempt(it, {"dir": value})


@cases("addUri with an out that leaves the directory by ..")
def out(it):
    outside(it)
    for value in ("../outside/evil", "x/../../outside/evil", "./../outside/evil", "../evil", "x/../../evil"):
        attempt(it, {"out": value})


@cases("addUri with an absolute out")
def absolute(it):
    target = outside(it)
    for value in (f"{target}/evil", f"/{target}/evil"):
        attempt(it, {"out": value})


@cases("addUri with an out that is not a name, or too long")
def no_name(it):
    outside(it)
    for value in ("..", ".", "", "/", "x/..", "../", "\u0000evil", "a\u0000/../../outside/evil",
                  "\\..\\..\\outside\\evil", "x" * 300, "y/" * 3000):
        attempt(it, {"out": value})


@cases("a name in the URL that leaves the directory")
def name_in_url(it):
    outside(it)
    for name in ("..%2f..%2foutside%2fevil", "%2e%2e%2foutside%2fevil", "..", "%2e%2e", "..%5c..%5cevil"):
        attempt(it, {}, f"file/10/{name}")


@cases("a name in Content-Disposition that leaves the directory")
def name_in_answer(it):
    outside(it)
    for name in ("../outside/evil", "%2Fetc%2Fevil", "..%5Cevil", "../evil"):
        value = f"attachment; filename=\"{name}\"".replace("/", "%2F").replace("%", "%25").replace("%252F", "%2F")
        attempt(it, {}, f"field/Content-Disposition/{value}/plain")


@cases("dir is a link in the directory that leads out of it")
def linked_directory(it):
    target = outside(it)
    (it.directory / "link").symlink_to(target)
    attempt(it, {"dir": f"{it.directory}/link"})


@cases("out goes through a link in the directory that leads out of it")
def linked_out(it):
    target = outside(it)
    (it.directory / "link").symlink_to(target)
    (it.directory / "x").mkdir()
    (it.directory / "x/link").symlink_to("../..")
    for value in ("link/evil", "link/deep/evil", "x/link/outside/evil"):
        attempt(it, {"out": value})


@cases("out is a link to a file elsewhere, with allow-overwrite")
def linked_file(it):
    target = outside(it)
    for number, options in enumerate(({"allow-overwrite": "true"}, {"continue": "true"}, {})):
        (it.directory / f"name{number}").symlink_to(target / "victim")
        attempt(it, {"out": f"name{number}", **options})


@cases("a directory becomes a link after the download was added")
def late_link(it):
    target = outside(it)
    (it.directory / "sub").mkdir()
    gid = it.paused("file/10/evil", out="sub/evil")
    (it.directory / "sub").rmdir()
    (it.directory / "sub").symlink_to(target)
    it.result("unpause", gid)
    until(lambda: it.state(gid) in FINAL, lambda: f"it ends: {it.status(gid)}")
    untouched(it, "unpause")


@cases("changeOption of a paused download to a dir or out outside")
def change(it):
    target = outside(it)
    for options in ({"dir": str(target)}, {"out": "../outside/evil"}, {"out": f"{target}/evil"},
                    {"dir": f"{it.directory}/../outside"}):
        gid = it.paused("file/10/evil")
        it.call("changeOption", gid, options)
        it.result("unpause", gid)
        it.until_state(gid, *FINAL)
        untouched(it, f"changeOption {options}")


@cases("changeOption of an active download to a dir outside")
def change_active(it):
    target = outside(it)
    gid = it.add("slow/4000000/2000000/evil", split="1")
    it.until_bytes(gid)
    it.call("changeOption", gid, {"dir": str(target), "out": "../outside/evil"})
    it.until_state(gid, *FINAL)
    untouched(it, "changeOption")


@cases("changeGlobalOption to a dir outside", "own")
def change_global(it):
    target = outside(it)
    for value in (str(target), f"{it.directory}/../outside", str(it.daemon.home)):
        it.call("changeGlobalOption", {"dir": value})
        settle(it, it.call("addUri", [it.files.url("file/10/evil")]))
        untouched(it, f"changeGlobalOption {value}")


@cases("log set by a call appends to any file", "own")
def log(it):
    target = outside(it)
    for method, before in (("changeGlobalOption", []), ("changeOption", [it.paused()])):
        for options in ({"log": f"{target}/victim", "log-level": "debug"}, {"log": f"{target}/evil"}):
            it.call(method, *before, options)
            settle(it, it.call("addUri", [it.files.url("file/10/logged")], options))
            untouched(it, f"{method} {options}")


@cases("save-session set by a call replaces any file", "own")
def save_session(it):
    target = outside(it)
    gid = it.paused()
    for name in ("save-session", "save-cookies", "server-stat-of", "dht-file-path"):
        options = {name: f"{target}/victim"}
        it.call("changeGlobalOption", options)
        it.call("changeOption", gid, options)
        it.call("addUri", [it.files.url("late/b")], options)
        it.call("saveSession")
        untouched(it, name)
    it.call("shutdown")
    it.daemon.process.wait(20)
    untouched(it, "shutdown")


@cases("a hook set by a call runs a program", "own")
def hook(it):
    target = outside(it)
    program = it.daemon.home / "hook"
    program.write_text(f"#!/bin/sh\ntouch {target}/evil\n")
    program.chmod(0o755)
    for name in ("on-download-complete", "on-download-start", "on-download-error", "on-download-stop"):
        options = {name: str(program)}
        it.call("changeGlobalOption", options)
        settle(it, it.call("addUri", [it.files.url(f"file/10/{name}")], options))
        settle(it, it.call("addUri", [it.files.url(f"status/404/{name}")], options))
        untouched(it, name)


@cases("options that make it read secrets of this machine and send them away", "own")
def reads(it):
    target = it.daemon.home / "secrets"
    target.mkdir()
    (target / "cookies").write_text("127.0.0.1\tFALSE\t/\tFALSE\t4000000000\tsession\tstolen\n")
    (target / "netrc").write_text("machine 127.0.0.1 login joe password stolen\n")
    (target / "netrc").chmod(0o600)
    (it.daemon.home / ".netrc").write_text("machine 127.0.0.1 login joe password stolen\n")
    (it.daemon.home / ".netrc").chmod(0o600)
    options = {"load-cookies": str(target / "cookies"), "netrc-path": str(target / "netrc"), "no-netrc": "false"}
    for name, value in options.items():
        it.call("changeGlobalOption", {name: value})
        answer = it.call("addUri", [it.files.url(f"file/10/{name}")], {name: value})
        settle(it, answer)
        for fields in it.files.asked(name):
            holds("stolen" not in (fields["Cookie"] or ""), f"{name}: the server got a cookie from a file")
            same(fields["Authorization"], None, f"{name}: the server got Authorization")


@cases("an address of a file or of another protocol")
def addresses(it):
    before = len(it.waiting()) + len(it.active())
    for url in ("file:///etc/passwd", "FILE:///etc/passwd", "scp://127.0.0.1/etc/passwd", "gopher://127.0.0.1:1/x",
                "dict://127.0.0.1:1/x", "ldap://127.0.0.1/x", "data:,x", "tftp://127.0.0.1/x", "/etc/passwd"):
        answer = it.call("addUri", [url], {"out": "passwd"})
        settle(it, answer)
        holds(it.is_aria2 or answer.code == 1, f"{url} was taken")
    same(len(it.waiting()) + len(it.active()), before, "downloads")
    holds(not (it.directory / "passwd").exists(), "passwd was copied")


@cases("a redirect to a file or another protocol")
def redirects(it):
    for url in ("file:%2F%2F%2Fetc%2Fpasswd", "gopher:%2F%2F127.0.0.1:1%2Fx"):
        gid = it.add(f"field/Location/{url}/name", out="passwd")
        it.until_state(gid, *FINAL)
        path = it.directory / "passwd"
        holds(not path.exists() or path.read_bytes() == content(10), "passwd was copied")
        path.unlink(missing_ok=True)


@cases("400 names that leave the directory in one batch")
def still_there(it):
    outside(it)
    # Not more levels up than the temporary directory has: the attack succeeds on aria2c.
    requests = [it.request("addUri", [it.files.url("file/1/evil")], {"out": "../" * (1 + number % 2) + f"evil{number}"},
                           identity=number) for number in range(400)]
    for answer in rpc.post(it.port, requests).body:
        settle(it, rpc.Answer(200, answer, {}))
    untouched(it, f"a batch of {len(requests)}")


@cases("a gid or position that is a path or huge ends the daemon")
def odd_parameters(it):
    for gid in ("../../etc/passwd", "%2e%2e", "0" * 100_000, "\u0000" * 16, "１" * 16):
        same(it.call("tellStatus", gid).code, 1, f"code for {gid[:20]!r}")
    for offset in (2**63, -2**63, 2**64, 10**30, -10**30, 1e308, 1.5, float(2**63)):
        answer = it.call("tellWaiting", offset, 2**31)
        holds(answer.status in (200, 400, 500), f"status {answer.status} for the offset {offset}")
    paused = it.paused()
    for offset in (2**63 - 1, -2**63, 10**30):
        for how in ("POS_SET", "POS_CUR", "POS_END"):
            answer = it.call("changePosition", paused, offset, how)
            holds(answer.status in (200, 400, 500), f"status {answer.status} for {offset} {how}")
    same(it.state(paused), "paused", "state")
