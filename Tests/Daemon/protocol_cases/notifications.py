"""Notifications: which come, to whom, in which order."""

import json

from outcome import Cases, same
from wsclient import CLOSE, PING, PONG, TEXT, Closed, frame

cases = Cases()


def told(it, sockets, *wanted):
    """Each WebSocket gets these (name, gid) next."""
    for socket in sockets:
        for name, gid in wanted:
            message = socket.next_notification()
            same(message, {"jsonrpc": "2.0", "method": f"aria2.on{name}", "params": [{"gid": gid}]}, "notification")


@cases("Start and Complete, to every connection")
def complete(it):
    with it.websocket() as one, it.websocket() as two:
        gid = it.add("file/100000/n.bin")
        told(it, (one, two), ("DownloadStart", gid), ("DownloadComplete", gid))


@cases("Pause, and Start again after unpause; Stop for an active one that is removed")
def pause(it):
    with it.websocket() as one:
        gid = it.add("slow/100000/3000000/p.bin")
        told(it, [one], ("DownloadStart", gid))
        it.until_bytes(gid)
        it.result("forcePause", gid)
        told(it, [one], ("DownloadPause", gid))
        it.result("unpause", gid)
        told(it, [one], ("DownloadStart", gid))
        it.result("forceRemove", gid)
        told(it, [one], ("DownloadStop", gid))


@cases("Error")
def error(it):
    with it.websocket() as one:
        gid = it.add("status/404/e.bin")
        told(it, [one], ("DownloadStart", gid), ("DownloadError", gid))


@cases("a paused one that is added or removed tells nothing")
def silent(it):
    with it.websocket() as one:
        paused = it.paused()
        it.result("forceRemove", paused)
        gid = it.add("file/1/last.bin")
        told(it, [one], ("DownloadStart", gid), ("DownloadComplete", gid))


@cases("answers and notifications go over one WebSocket")
def mixed(it):
    with it.websocket() as one:
        answer = one.ask(it.request("addUri", [it.files.url("file/10/m.bin")], identity=0))
        gid = answer["result"]
        same(answer["id"], 0, "id")
        told(it, [one], ("DownloadStart", gid), ("DownloadComplete", gid))
        same(one.ask(it.request("tellStatus", gid, ["status"], identity="x"))["result"], {"status": "complete"},
             "status")


@cases("by the time of a notification, tellStatus says the same")
def consistent(it):
    with it.websocket() as one:
        gid = it.add("file/10/c.bin")
        told(it, [one], ("DownloadStart", gid), ("DownloadComplete", gid))
        same(it.state(gid), "complete", "state")
        (it.directory / "c.bin").stat()


@cases("a message in fragments is read, also with a ping in between")
def fragments(it):
    text = json.dumps(it.request("getVersion", identity="f")).encode()
    parts = [frame(TEXT, text[:10], is_last=False), frame(0, text[10:20], is_last=False), frame(0, text[20:])]
    with it.websocket() as one:
        one.socket.sendall(b"".join(parts))
        same(one.answer()["id"], "f", "answer")
    if not it.differs(False, True, "aria2 loses a message with a ping in between (RFC 6455, 5.4 allows it)"):
        return
    with it.websocket() as one:
        one.socket.sendall(parts[0] + frame(PING, b"hello") + parts[1] + parts[2])
        same(one.receive(), (PONG, b"hello"), "pong")
        same(one.answer()["id"], "f", "answer after a ping")


@cases("many calls at once on one WebSocket are all answered")
def pipelined(it):
    with it.websocket() as one:
        for index in range(200):
            one.send(json.dumps(it.request("tellActive", ["gid"], identity=index)))
        same(sorted(one.answer()["id"] for _ in range(200)), list(range(200)), "ids")


@cases("a close frame is answered with one")
def close(it):
    with it.websocket() as one:
        one.send((1000).to_bytes(2, "big"), CLOSE)
        try:
            while True:
                one.receive()
        except Closed as closed:
            same(closed.code, 1000, "code")
