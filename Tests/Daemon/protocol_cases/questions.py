"""What a daemon tells about downloads."""

from daemons import until
from outcome import Cases, holds, same

cases = Cases()
TEXTS = ("gid", "status", "totalLength", "completedLength", "uploadLength", "downloadSpeed", "uploadSpeed",
         "connections", "pieceLength", "numPieces", "dir")
ONLY_TORRENTS = {"bittorrent", "infoHash", "numSeeders", "seeder"}
MEGA = 1 << 20


def is_status(status):
    """All that a client takes for granted in a status."""
    for name in TEXTS:
        holds(isinstance(status.get(name), str), f"{name} is {status.get(name)!r} in {status}")
        if name not in ("gid", "status", "dir"):
            holds(status[name].isdigit(), f"{name} is {status[name]!r}")
    same(ONLY_TORRENTS & status.keys(), set(), "members of torrents")
    for file in status["files"]:
        same(sorted(file), ["completedLength", "index", "length", "path", "selected", "uris"], "members of a file")
        same((file["index"], file["selected"]), ("1", "true"), "index and selected")
        for uri in file["uris"]:
            holds(sorted(uri) == ["status", "uri"] and uri["status"] in ("used", "waiting"), f"uri {uri}")


@cases("the status of one that waits for its turn, before its length is known")
def paused(it):
    gid = it.paused("late/x.bin")
    status = it.status(gid)
    is_status(status)
    same({name: status[name] for name in TEXTS if name not in ("pieceLength",)}, {
        "gid": gid, "status": "paused", "totalLength": "0", "completedLength": "0", "uploadLength": "0",
        "downloadSpeed": "0", "uploadSpeed": "0", "connections": "0", "numPieces": "0", "dir": str(it.directory)},
        "status")
    same({"bitfield", "errorCode", "errorMessage", "followedBy", "following", "belongsTo"} & status.keys(), set(),
         "members that have no place yet")
    same((status["files"][0]["length"], status["files"][0]["uris"]),
         ("0", [{"uri": it.files.url("late/x.bin"), "status": "waiting"}]), "file")


@cases("the status of one that runs")
def active(it):
    gid = it.add("slow/400000/5000000/a.bin", split="2", max_connection_per_server="2")
    it.until_bytes(gid)
    status = it.status(gid)
    is_status(status)
    same((status["status"], status["totalLength"]), ("active", "5000000"), "state and length")
    holds(int(status["connections"]) >= 1, f"connections {status['connections']}")
    holds(0 < int(status["completedLength"]) < 5_000_000, f"completedLength {status['completedLength']}")
    same({"errorCode", "errorMessage"} & status.keys(), set(), "errors")
    file = status["files"][0]
    same((file["path"], file["length"]), (str(it.directory / "a.bin"), "5000000"), "file")
    same(file["uris"][0], {"uri": it.files.url("slow/400000/5000000/a.bin"), "status": "used"}, "uri")
    until(lambda: int(it.status(gid)["downloadSpeed"]) > 0, lambda: "a speed")


@cases("the status of one that is complete")
def complete(it):
    size = 5 * MEGA + 1
    gid = it.add(f"file/{size}/c.bin")
    it.until_state(gid, "complete")
    status = it.status(gid)
    is_status(status)
    same([status[name] for name in ("totalLength", "completedLength", "connections", "errorCode", "downloadSpeed")],
         [str(size), str(size), "0", "0", "0"], "status")
    holds(isinstance(status["errorMessage"], str), "errorMessage")
    pieces, length = int(status["numPieces"]), int(status["pieceLength"])
    same(pieces, -(-size // length), "numPieces")
    wanted = ((1 << pieces) - 1) << (-pieces % 8)
    same(status["bitfield"], f"{wanted:0{(pieces + 7) // 8 * 2}x}", "bitfield: first piece first, the rest 0")
    file = status["files"][0]
    same((file["length"], file["completedLength"]), (str(size), str(size)), "file")


@cases("the bitfield of one that is not complete never claims more than its bytes")
def bitfield(it):
    size = 8 * MEGA
    gid = it.add(f"slow/3000000/{size}/b.bin", split="1", max_connection_per_server="1")
    it.until_bytes(gid, 3 * MEGA)
    status = it.status(gid)
    pieces, length = int(status["numPieces"]), int(status["pieceLength"])
    same((pieces * length, len(status["bitfield"])), (size, (pieces + 7) // 8 * 2), "pieces")
    count = bin(int(status["bitfield"], 16)).count("1")
    holds(0 < count * length <= int(status["completedLength"]),
          f"{count} pieces of {length} with {status['completedLength']} bytes")
    holds(int(status["bitfield"][0], 16) & 8, f"the first piece is not there: {status['bitfield']}")


@cases("keys choose members; unknown keys are left out; no keys and none are all")
def keys(it):
    gid = it.paused()
    same(it.status(gid, "gid", "status", "nope", "gid"), {"gid": gid, "status": "paused"}, "two keys")
    same(it.result("tellStatus", gid, ["nope"]), {}, "an unknown key")
    same(it.result("tellStatus", gid), it.result("tellStatus", gid, []), "none")
    same(it.result("tellStatus", gid, [5, "gid"]), {"gid": gid}, "a key that is no text")
    it.refused(it.call("tellStatus", gid, "gid"), "The parameter at 1 has wrong type.")
    same(it.result("tellWaiting", 0, 10, ["gid"]), [{"gid": gid}], "tellWaiting")
    for method in ("tellActive", "tellWaiting", "tellStopped"):
        params = [] if method == "tellActive" else [0, 10]
        it.refused(it.call(method, *params, "gid"), f"The parameter at {len(params)} has wrong type.")


@cases("tellWaiting has pages; a negative offset counts from the end and reverses")
def pages(it):
    gids = [it.paused() for _ in range(7)]
    for offset, count, wanted in (
            (0, 10, [0, 1, 2, 3, 4, 5, 6]), (1, 2, [1, 2]), (-1, 2, [6, 5]), (-2, 3, [5, 4, 3]),
            (-1, 100, [6, 5, 4, 3, 2, 1, 0]), (-100, 2, []), (-7, 1, [0]), (-7, 3, [0]), (-8, 3, []), (100, 2, []),
            (0, 0, []), (6, 1, [6])):
        page = it.result("tellWaiting", offset, count, ["gid"])
        same([gids.index(one["gid"]) for one in page], wanted, f"page {offset}, {count}")
    far = 2**62
    same(it.result("tellWaiting", -far, far), [], "a far offset")


@cases("tellWaiting and tellStopped: wrong parameters")
def pages_wrong(it):
    for method in ("tellWaiting", "tellStopped"):
        it.refused(it.call(method, 0, -1),
                   "The integer parameter at 1 has invalid value: the value must be greater than or equal to 0.")
        it.refused(it.call(method, 0), "The parameter at 1 is required but missing.")
        it.refused(it.call(method), "The parameter at 0 is required but missing.")
        it.refused(it.call(method, "0", 1), "The parameter at 0 has wrong type.")
        it.refused(it.call(method, 0, "1"), "The parameter at 1 has wrong type.")


@cases("tellStopped has the oldest first, and the last with -1")
def stopped(it):
    gids = []
    for name, size in (("a", 10), ("b", 20), ("c", 30)):
        gids.append(it.add(f"file/{size}/{name}"))
        it.until_state(gids[-1], "complete")
    for offset, count, wanted in ((0, 10, [0, 1, 2]), (1, 1, [1]), (-1, 1, [2]), (-1, 10, [2, 1, 0]), (-2, 1, [1])):
        page = it.result("tellStopped", offset, count, ["gid", "status"])
        same([gids.index(one["gid"]) for one in page], wanted, f"page {offset}, {count}")
        same({one["status"] for one in page}, {"complete"}, "states")


@cases("each download is in one of the three lists")
def lists(it):
    done, paused, running = it.add("file/10/d"), it.paused(), it.add("late/r")
    it.until_state(done, "complete")
    it.until_state(running, "active")
    same((it.active(), it.waiting()), ([running], [paused]), "active and waiting")
    same([one["gid"] for one in it.result("tellStopped", 0, 10)], [done], "stopped")
    for one in it.result("tellActive") + it.result("tellWaiting", 0, 9) + it.result("tellStopped", 0, 9):
        is_status(one)


@cases("getGlobalStat counts as texts")
def stat(it):
    it.add("file/10/d"), it.paused()
    until(lambda: it.result("getGlobalStat")["numStopped"] == "1", lambda: "one has stopped")
    status = it.result("getGlobalStat")
    same(sorted(status), ["downloadSpeed", "numActive", "numStopped", "numStoppedTotal", "numWaiting", "uploadSpeed"],
         "members")
    same([status[name] for name in ("numActive", "numWaiting", "numStopped", "uploadSpeed")], ["0", "1", "1", "0"],
         "counts")
    holds(all(isinstance(value, str) and value.isdigit() for value in status.values()), f"texts: {status}")
    holds(int(status["numStoppedTotal"]) >= 1, f"total {status['numStoppedTotal']}")


@cases("getUris, getFiles, getPeers and getServers in each state")
def details(it):
    paused, active, done = it.paused(), it.add("slow/300000/3000000/s.bin", split="1"), it.add("file/10/d.bin")
    it.until_bytes(active)
    it.until_state(done, "complete")
    url = it.files.url("slow/300000/3000000/s.bin")
    same(it.result("getUris", paused), [{"uri": it.files.url("late/a"), "status": "waiting"}], "getUris")
    same(it.result("getUris", active), [{"uri": url, "status": "used"}], "getUris of one that runs")
    it.refused(it.call("getUris", done), f"No URI data is available for GID#{done}")
    for gid in (paused, active, done):
        is_status({**it.status(gid), "files": it.result("getFiles", gid)})
    for gid in (paused, active):
        same(it.result("getPeers", gid), [], "getPeers")
        same(it.result("getFiles", gid)[0]["uris"], it.result("getUris", gid), "uris of getFiles")
    it.refused(it.call("getPeers", done), f"No peer data is available for GID#{done}")
    servers = it.result("getServers", active)
    same((servers[0]["index"], sorted(servers[0]["servers"][0])), ("1", ["currentUri", "downloadSpeed", "uri"]),
         "getServers")
    same(servers[0]["servers"][0]["uri"], url, "its uri")
    holds(servers[0]["servers"][0]["downloadSpeed"].isdigit(), "its speed is a text")
    for gid in (paused, done):
        it.refused(it.call("getServers", gid), f"No active download for GID#{gid}")


@cases("getServers has the address after a redirect")
def redirected(it):
    path = f"to/127.0.0.1:{it.files.port}/slow/300000/3000000/s.bin"
    gid = it.add(path, split="1")
    it.until_bytes(gid)
    server = it.result("getServers", gid)[0]["servers"][0]
    same(server["uri"], it.files.url(path), "uri")
    same(server["currentUri"], it.files.url("slow/300000/3000000/s.bin"), "currentUri")
