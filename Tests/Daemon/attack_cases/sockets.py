"""WebSockets that break the rules, send without end or never read."""

import contextlib
import json

import raw
from daemons import until
from outcome import Cases, holds, same
from wsclient import BINARY, CLOSE, PING, TEXT, Closed, frame

cases = Cases()
MEGA = 1 << 20
CALL = json.dumps({"id": "w", "method": "system.listNotifications"}).encode()


def is_closed_by(it, data, what, codes=None):
    with it.websocket(timeout=10) as socket:
        try:
            with contextlib.suppress(ConnectionError):
                socket.socket.sendall(data)
            while True:
                message = socket.receive()
                holds(b"onDownload" not in message[1], f"{what}: it was taken")
        except Closed as closed:
            if codes and closed.code:
                holds(closed.code in codes, f"{what}: closed with {closed.code}")
        except TimeoutError:
            holds(False, f"{what}: the connection stays open")


@cases("frames without a mask, which a proxy could take for requests, are taken (RFC 6455, 5.1)")
def unmasked(it):
    is_closed_by(it, frame(TEXT, CALL, is_masked=False), "an unmasked frame", (1002,))


@cases("reserved bits, unknown opcodes, a continuation of nothing, long or cut control frames are taken")
def rules(it):
    for data, what in (
            (frame(TEXT, CALL, reserved=4), "a reserved bit"), (frame(3, CALL), "opcode 3"),
            (frame(0, CALL), "a continuation of nothing"), (frame(PING, bytes(126)), "a ping of 126 bytes"),
            (frame(PING, b"", is_last=False), "a ping in fragments"),
            (frame(TEXT, CALL[:5], is_last=False) + frame(TEXT, CALL), "a text within a text")):
        is_closed_by(it, data, what, (1002, 1003, 1007, 1008))


@cases("a text that is not UTF-8 or a close frame of one byte is taken")
def not_text(it):
    with it.websocket(timeout=10) as socket:
        socket.send(b'{"id":"\xff\xfe","method":"system.listNotifications"}')
        try:
            message = socket.message()
            holds("result" not in message, "text that is not UTF-8 was taken")
        except Closed as closed:
            holds(closed.code in (0, 1007, 1002, 1003), f"closed with {closed.code}")
    is_closed_by(it, frame(CLOSE, b"x"), "a close frame of one byte")
    with it.websocket(timeout=10) as socket:
        socket.send(CALL, BINARY)
        with contextlib.suppress(Closed, TimeoutError):
            socket.message()


@cases("a frame that claims 2^63 bytes, or one of 4 MiB, is taken")
def oversized(it):
    before = it.daemon.watch_memory()
    for length in (2**63 - 1, 2**63, 2**64 - 1, 2**40, 64 * MEGA):
        is_closed_by(it, frame(TEXT, b"x" * 100_000, length=length), f"a frame of {length} bytes", (1002, 1009))
    is_closed_by(it, frame(TEXT, b" " * (4 * MEGA)), "a frame of 4 MiB", (1009,))
    holds(it.daemon.peak_memory() - before < 64 * MEGA, f"{it.daemon.peak_memory() - before >> 20} MiB more")


@cases("a message in fragments without an end is taken")
def endless(it):
    before = it.daemon.watch_memory()
    for size, count in ((MEGA, 96), (1, 3_000_000)):
        data = frame(TEXT, b" ", is_last=False) + frame(0, b" " * size, is_last=False) * (count if size > 1 else 1)
        with it.websocket(timeout=10) as socket:
            is_open = True
            try:
                socket.socket.sendall(data)
                if size == 1:
                    part = frame(0, b" ", is_last=False) * 50_000
                    for _ in range(count // 50_000):
                        socket.socket.sendall(part)
                socket.receive()
            except (Closed, ConnectionError):
                is_open = False
            except TimeoutError:
                pass
            holds(not is_open, f"{count} fragments of {size} bytes were taken")
        growth = it.daemon.peak_memory() - before
        holds(growth < 96 * MEGA, f"{growth >> 20} MiB more after fragments of {size} bytes")
    same(it.call("getVersion").status, 200, "status afterwards")


@cases("WebSockets that call and never read the answers take 64 MiB")
def unread_answers(it):
    before = it.daemon.watch_memory()
    call = frame(TEXT, json.dumps({"id": 1, "method": "system.listMethods"}).encode()) * 1000
    with contextlib.ExitStack() as stack:
        for _ in range(4):
            socket = stack.enter_context(it.websocket(receive_buffer=4096))
            socket.socket.settimeout(1)
            with contextlib.suppress(OSError):
                for _ in range(40):
                    socket.socket.sendall(call)
        same(it.call("getVersion").status, 200, "status meanwhile")
        growth = it.daemon.peak_memory() - before
        holds(growth < 64 * MEGA, f"{growth >> 20} MiB more")


@cases("100 WebSockets that never read thousands of notifications take 96 MiB", "own")
def unread_notifications(it):
    gids = [it.add(f"late/{number}") for number in range(60)]
    before = it.daemon.watch_memory()
    with contextlib.ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(it.websocket(receive_buffer=4096))
        for _ in range(15):
            for method, paused in (("forcePauseAll", len(gids)), ("unpauseAll", 0)):
                it.result(method)
                until(lambda paused=paused: sum(one["status"] == "paused" for one in it.result(
                    "tellWaiting", 0, 1000, ["status"])) == paused, lambda method=method: f"{method} is done")
        growth = it.daemon.peak_memory() - before
        holds(growth < 96 * MEGA, f"{growth >> 20} MiB more")
        with it.websocket() as reader:
            gid = it.paused()
            it.result("unpause", gid)
            it.result("forceRemove", gid)
            same(reader.ask(it.request("getVersion", identity=9))["id"], 9, "answer to one that reads")


@cases("pings whose answers nothing reads take 64 MiB")
def pings(it):
    before = it.daemon.watch_memory()
    with it.websocket(receive_buffer=4096) as socket:
        socket.socket.settimeout(1)
        part = frame(PING, b"p" * 125) * 1000
        with contextlib.suppress(OSError):
            for _ in range(300):
                socket.socket.sendall(part)
        growth = it.daemon.peak_memory() - before
        holds(growth < 64 * MEGA, f"{growth >> 20} MiB more after pings that nothing reads")


@cases("the upgrade of another path, version or method opens a WebSocket")
def upgrades(it):
    key = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]
    for method, path, fields in (
            ("GET", "/", [*key, "Sec-WebSocket-Version: 13"]), ("GET", "/other", [*key, "Sec-WebSocket-Version: 13"]),
            ("POST", "/jsonrpc", [*key, "Sec-WebSocket-Version: 13"]), ("GET", "/jsonrpc", key),
            ("GET", "/jsonrpc", [*key, "Sec-WebSocket-Version: 8"]),
            ("GET", "/jsonrpc", [*key[:2], "Sec-WebSocket-Version: 13"])):
        answer, _ = raw.talk(it.port, raw.head(it.port, method, path, fields=fields))
        holds(raw.status(answer) != 101, f"{method} {path} with {fields[2:]} opened a WebSocket")
