"""How downloads end: states and codes of errors."""

from outcome import Cases, holds, same
from stand import FINAL

cases = Cases()


def ended(it, path, **options):
    gid = it.result("addUri", [path if "://" in path else it.files.url(path)], options)
    it.until_state(gid, *FINAL, seconds=40)
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


@cases("403 is an error")
def forbidden(it):
    state, code, _ = ended(it, "status/403/x.bin")
    same((state, code), ("error", it.differs("22", "24", "403 is a question of authorization")), "end")


@cases("503 without end is error 29")
def overloaded(it):
    same(ended(it, "status/503/x.bin", **{"max-tries": "1"})[:2], ("error", "29"), "end")


@cases("a connection that is refused is error 6, a network's")
def refused(it):
    state, code, _ = ended(it, "http://127.0.0.1:1/x")
    same((state, code), ("error", it.differs("1", "6", "1.36 says unknown; its manual has 6 for the network")), "end")


@cases("a host that does not exist is error 19")
def unknown_host(it):
    same(ended(it, "http://no-such-host.invalid/x")[:2], ("error", "19"), "end")


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
