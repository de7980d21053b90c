"""Pausing, removing and ordering."""

from daemons import until
from outcome import Cases, holds, same
from stand import new_gid

cases = Cases()
UNKNOWN = "f" * 15 + "e"


@cases("a gid that is unknown, malformed, missing or of wrong type is an error of every method")
def wrong_gids(it):
    rest = {"changePosition": [0, "POS_SET"], "changeUri": [1, [], []], "changeOption": [{}]}
    for method in ("tellStatus", "remove", "forceRemove", "pause", "forcePause", "unpause", "removeDownloadResult",
                   "getUris", "getFiles", "getPeers", "getServers", "getOption", "changePosition", "changeUri",
                   "changeOption"):
        more = rest.get(method, [])
        it.refused(it.call(method, "zz", *more), "Invalid GID zz")
        it.refused(it.call(method, "", *more), "Invalid GID ")
        it.refused(it.call(method, UNKNOWN + "0", *more), f"Invalid GID {UNKNOWN}0")
        it.refused(it.call(method, 5, *more), "The parameter at 0 has wrong type.")
        it.refused(it.call(method), "The parameter at 0 is required but missing.")
        answer = it.call(method, UNKNOWN, *more)
        same((answer.code, answer.status), (1, 400), f"{method} of an unknown gid")
        # Some methods of aria2 do not look for it first, and say what they could not do.
        holds(UNKNOWN in answer.message, f"{method}: {answer.message}")


@cases("the beginning of a gid is enough if it fits one only, in any case")
def prefix(it):
    one, other = it.paused(gid="abcdef0000000001"), it.paused(gid="abcd1f0000000002")
    same(it.status("abcde", "gid"), {"gid": one}, "prefix")
    same(it.status("ABCD1", "gid"), {"gid": other}, "prefix in capitals")
    answer = it.call("tellStatus", "abcd")
    same(answer.code, 1, "a prefix of both")
    holds("abcd" in answer.message, answer.message)


@cases("pause, unpause and their errors")
def pause(it):
    gid = it.add("slow/100000/3000000/p.bin")
    it.until_bytes(gid)
    for method in ("pause", "forcePause"):
        same(it.result(method, gid), gid, method)
        it.until_state(gid, "paused")
        for again in ("pause", "forcePause"):
            it.refused(it.call(again, gid), f"GID#{gid} cannot be paused now")
        same(it.result("unpause", gid), gid, "unpause")
        until(lambda: it.state(gid) == "active", lambda: "active again")
        it.refused(it.call("unpause", gid), f"GID#{gid} cannot be unpaused now")


@cases("a paused download keeps its bytes")
def keeps(it):
    gid = it.add("slow/1000000/3000000/k.bin", split="1")
    it.until_bytes(gid, 200_000)
    it.result("pause", gid)
    it.until_state(gid, "paused")
    before = int(it.status(gid)["completedLength"])
    it.result("unpause", gid)
    until(lambda: it.state(gid) == "active" and int(it.status(gid)["completedLength"]) > before, lambda: "more bytes")
    status = it.status(gid)
    holds(int(status["completedLength"]) >= before, f"{status['completedLength']} after {before}")


@cases("pauseAll, forcePauseAll and unpauseAll answer OK and mean all")
def everything(it):
    gids = [it.add(f"late/{index}") for index in range(3)]
    for method in ("pauseAll", "forcePauseAll"):
        same(it.result(method), "OK", method)
        until(lambda: [it.state(gid) for gid in gids] == ["paused"] * 3, lambda: "all are paused")
        same(it.result("unpauseAll"), "OK", "unpauseAll")
        until(lambda: "paused" not in [it.state(gid) for gid in gids], lambda: "none is paused")


@cases("remove: an active one becomes removed with code 31; a paused one vanishes")
def remove(it):
    for method in ("remove", "forceRemove"):
        gid = it.add("slow/100000/3000000/r.bin")
        it.until_bytes(gid)
        same(it.result(method, gid), gid, method)
        it.until_state(gid, "removed")
        same(it.status(gid, "errorCode"), {"errorCode": "31"}, "code")
        for again in ("remove", "forceRemove"):
            it.refused(it.call(again, gid), f"Active Download not found for GID#{gid}")
        for other in ("pause", "forcePause"):
            it.refused(it.call(other, gid), f"GID#{gid} cannot be paused now")
        it.refused(it.call("unpause", gid), f"GID#{gid} cannot be unpaused now")
        paused = it.paused()
        same(it.result(method, paused), paused, method)
        it.refused(it.call("tellStatus", paused), f"GID {paused} is not found")


@cases("removeDownloadResult takes ended ones only; purgeDownloadResult takes them all")
def results(it):
    done = [it.add(f"file/10/{name}") for name in "abc"]
    paused, active = it.paused(), it.add("late/x")
    it.connected(active)
    for gid in (paused, active):
        it.refused(it.call("removeDownloadResult", gid), f"Could not remove download result of GID#{gid}")
    for gid in done:
        it.until_state(gid, "complete")
    same(it.result("removeDownloadResult", done[1]), "OK", "removeDownloadResult")
    it.refused(it.call("removeDownloadResult", done[1]), f"GID {done[1]} is not found")
    it.refused(it.call("tellStatus", done[1]), f"GID {done[1]} is not found")
    same({one["gid"] for one in it.result("tellStopped", 0, 9, ["gid"])}, {done[0], done[2]}, "stopped")
    same(it.result("purgeDownloadResult"), "OK", "purge")
    same(it.result("tellStopped", 0, 9), [], "stopped after the purge")
    same((it.waiting(), it.active()), ([paused], [active]), "others")


@cases("a gid may be used again after its result is removed")
def again(it):
    gid = new_gid()
    for _ in range(2):
        it.add("file/10/again.bin", gid=gid)
        it.until_state(gid, "complete")
        it.result("removeDownloadResult", gid)


@cases("changePosition moves and answers with an integer, bounded by the list")
def position(it):
    one, two, three, four = (it.paused() for _ in range(4))
    for offset, how, place in (
            (2, "POS_SET", 2), (100, "POS_SET", 3), (-5, "POS_SET", 0), (-1, "POS_END", 2), (-1, "POS_CUR", 1),
            (1, "POS_CUR", 2), (0, "POS_CUR", 2), (1, "POS_END", 3), (0, "POS_END", 3), (-100, "POS_CUR", 0),
            (100, "POS_CUR", 3)):
        same(it.result("changePosition", one, offset, how), place, f"{offset} {how}")
        same(it.waiting().index(one), place, f"place after {offset} {how}")
    same(it.waiting(), [two, three, four, one], "order")


@cases("changePosition: wrong parameters, active and ended downloads")
def position_wrong(it):
    gid, active = it.paused(), it.add("late/p")
    it.connected(active)
    it.refused(it.call("changePosition", gid, 0, "POS_X"), "Illegal argument.")
    it.refused(it.call("changePosition", gid, "0", "POS_SET"), "The parameter at 1 has wrong type.")
    it.refused(it.call("changePosition", gid, 0), "The parameter at 2 is required but missing.")
    it.refused(it.call("changePosition", gid), "The parameter at 1 is required but missing.")
    it.refused(it.call("changePosition", active, 0, "POS_SET"), f"GID#{active} not found in the waiting queue.")


@cases("changeUri adds and removes sources and answers with two integers")
def uris(it):
    first, second, third = (it.files.url(f"late/{name}") for name in ("one", "two", "three"))
    gid = it.result("addUri", [first], {"pause": "true"})
    uris = lambda: [one["uri"] for one in it.result("getUris", gid)]  # noqa: E731
    same(it.result("changeUri", gid, 1, [], [second, "nope"]), [0, 1], "added one")
    same(uris(), [first, second], "uris")
    same(it.result("changeUri", gid, 1, [first], [third], 0), [1, 1], "replaced one")
    same(uris(), [third, second], "uris")
    same(it.result("changeUri", gid, 1, ["http://not.there/x"], []), [0, 0], "removed none")
    same(it.result("changeUri", gid, 1, [], [first], 100), [0, 1], "beyond the end")
    same(uris(), [third, second, first], "uris")


@cases("changeUri: wrong parameters, and ended downloads")
def uris_wrong(it):
    gid = it.paused()
    it.refused(it.call("changeUri", gid, 2, [], []), "fileIndex is out of range")
    it.refused(it.call("changeUri", gid, 0, [], []),
               "The integer parameter at 1 has invalid value: the value must be greater than or equal to 1.")
    it.refused(it.call("changeUri", gid, "1", [], []), "The parameter at 1 has wrong type.")
    it.refused(it.call("changeUri", gid, 1, []), "The parameter at 3 is required but missing.")
    it.refused(it.call("changeUri", gid, 1, "x", []), "The parameter at 2 has wrong type.")
    done = it.add("file/10/u.bin")
    it.until_state(done, "complete")
    it.refused(it.call("changeUri", done, 1, [], []), f"Cannot remove URIs from GID#{done}")


@cases("saveSession: the queue is always saved")
def save(it):
    if it.is_aria2:
        it.refused(it.call("saveSession"), "Filename is not given.")
    else:
        same(it.result("saveSession"), "OK", "saveSession")


@cases("shutdown answers OK, and ends the daemon in order", "own")
def shutdown(it):
    gid = it.add("late/a")
    it.connected(gid)
    same(it.result("shutdown"), "OK", "shutdown")
    it.daemon.process.wait(20)
    same(it.daemon.process.returncode in (0, 7), True, f"status {it.daemon.process.returncode}")


@cases("forceShutdown answers OK, and ends the daemon", "own")
def force_shutdown(it):
    same(it.result("forceShutdown"), "OK", "forceShutdown")
    it.daemon.process.wait(20)
    same(it.daemon.process.returncode, 0, "status")
