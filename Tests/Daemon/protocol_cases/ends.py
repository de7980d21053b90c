"""How downloads end: states and codes of errors."""

from outcome import Cases, holds, same
from stand import FINAL

cases = Cases()
AGAIN = "the queue tries again later, and the download waits; 1.36 fails at once, a refused connection with code 1"


def ended(it, path, **options):
    gid = it.result("addUri", [path if "://" in path else it.files.url(path)], options)
    it.until_state(gid, *FINAL)
    status = it.status(gid)
    holds(isinstance(status["errorMessage"], str), "errorMessage is a text")
    return status["status"], status["errorCode"], status


@cases("404 is error 3")
def missing(it):
    state, code, status = ended(it, "status/404/x.bin")
    same((state, code), ("error", "3"), "end")
    holds(status["errorMessage"], "errorMessage has no words")
    same((status["totalLength"], status["completedLength"]), ("0", "0"), "lengths")


@cases("401 is error 24")
def unauthorized(it):
    same(ended(it, "status/401/x.bin")[:2], ("error", "24"), "end")


@cases("403 is error 22")
def forbidden(it):
    same(ended(it, "status/403/x.bin")[:2], ("error", "22"), "end")


@cases("what may pass by itself: 503 is error 29, an unknown host 19, and a refused connection an error")
def passing(it):
    for path, code in (
            ("status/503/x.bin", "29"), ("http://no-such-host.invalid/x", "19"), ("http://127.0.0.1:1/x", "1")):
        if it.differs(True, False, AGAIN):
            same(ended(it, path)[:2], ("error", code), path)
        else:
            gid = it.result("addUri", [path if "://" in path else it.files.url(path)])
            it.until_state(gid, "waiting")


@cases("a wrong digest is error 32, and no file has the name without one")
def digest(it):
    state, code, _ = ended(it, "file/100/dig.bin", checksum=f"sha-256={'0' * 64}")
    same((state, code), ("error", "32"), "end")
    there = (it.directory / "dig.bin").exists()
    same(there, it.differs(True, False, "a file whose digest is wrong does not get the name"), "file under its name")


@cases("redirects in a circle are error 23")
def circle(it):
    path = f"to/127.0.0.1:{it.files.port}/"
    # Each hop takes one away; the last is the start again by its own name.
    same(ended(it, path * 25 + "file/1/x")[:2], ("error", "23"), "end")


@cases("an error stays in tellStopped with its words")
def stays(it):
    gid = it.add("status/404/stays.bin")
    it.until_state(gid, "error")
    status = it.result("tellStopped", -1, 1, ["gid", "status", "errorCode", "errorMessage"])[0]
    same((status["gid"], status["status"], status["errorCode"]), (gid, "error", "3"), "stopped")
