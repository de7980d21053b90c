"""Too much of everything: heads, bodies, JSON, calls."""

import contextlib
import http.client
import json

import raw
import rpc
from outcome import Cases, holds, same

cases = Cases()
MEGA = 1 << 20
MOST = 256 * MEGA  # bytes of growth that a single request may cause for a while


def grown(it, before, what, most=MOST):
    growth = it.daemon.peak_memory() - before
    holds(growth < most, f"{growth >> 20} MiB more after {what}")


def alive(it):
    holds(it.daemon.is_running, "the daemon has ended")
    same(it.call("getVersion").status, 200, "status of the next call")


@cases("a head of 1 MiB, in one field, in many, in the path, is taken")
def heads(it):
    before = it.daemon.watch_memory()
    for head in (raw.head(it.port, fields=["X: " + "y" * MEGA]), raw.head(it.port, fields=["X: y"] * 170_000),
                 raw.head(it.port, path="/" + "y" * MEGA), raw.head(it.port, method="M" * MEGA),
                 raw.head(it.port, host="y" * MEGA)):
        answer, _ = raw.talk(it.port, head)
        holds(b" 200 " not in answer[:20], "the head was taken")
    grown(it, before, "large heads", 32 * MEGA)
    alive(it)


@cases("a body over 2 MiB, announced, and in chunks without an end, is taken")
def bodies(it):
    before = it.daemon.watch_memory()
    for length in (2 * MEGA + 1, 64 * MEGA, 2**40, 2**62):
        head = raw.head(it.port, fields=[f"Content-Length: {length}"])
        answer, _ = raw.talk(it.port, head + b" " * min(length, 4 * MEGA))
        holds(it.is_aria2 or raw.status(answer) == 413, f"status {raw.status(answer)} for {length} bytes")
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    answer, is_closed = raw.talk(it.port, raw.head(it.port, fields=["Transfer-Encoding: chunked"]) + chunk * 1024)
    holds(it.is_aria2 or is_closed and raw.status(answer) in (0, 413),
          f"64 MiB in chunks: status {raw.status(answer)}, closed: {is_closed}")
    grown(it, before, "large bodies", 64 * MEGA)
    alive(it)


@cases("a body of a gigabyte, announced, is waited for")
def announced_too_much(it):
    for fields in (["Content-Length: 1000000000"], ["Content-Length: 1000000000", "Expect: 100-continue"],
                   [f"Content-Length: {2 * MEGA + 1}", "Connection: close"]):
        answer, is_closed = raw.talk(it.port, raw.head(it.port, fields=fields))
        holds(it.is_aria2 or raw.status(answer) == 413, f"status {raw.status(answer)} with {fields}")
        holds(is_closed or it.is_aria2 or b"connection: close" in answer.lower(), f"the connection stays with {fields}")
    alive(it)


@cases("a client that asks before it sends its body gets no answer", "segdl")
def continued(it):
    body = json.dumps(it.request("getVersion")).encode()
    with raw.connection(it.port) as opened:
        opened.sendall(raw.head(it.port, fields=[f"Content-Length: {len(body)}", "Expect: 100-continue"]))
        answer, _ = raw.read(opened)
        same(answer, b"HTTP/1.1 100 Continue\r\n\r\n", "answer to the head")
        opened.settimeout(raw.FIRST)
        opened.sendall(body)
        answer, _ = raw.read(opened)
        same(raw.status(answer), 200, "status")


@cases("bodies that are announced and never sent take memory")
def announced(it):
    before = it.daemon.watch_memory()
    with contextlib.ExitStack() as stack:
        for _ in range(200):
            opened = stack.enter_context(raw.connection(it.port))
            opened.sendall(raw.head(it.port, fields=[f"Content-Length: {2 * MEGA}"]) + b"[")
        alive(it)
        grown(it, before, "200 announced bodies", 64 * MEGA)


@cases("a body of 2 MiB is refused", "segdl")
def largest(it):
    text = json.dumps(it.request("getVersion")).encode()
    same(it.post(text + b" " * (2 * MEGA - len(text))).status, 200, "status")


@cases("JSON of 100,000 levels is taken, or ends the daemon")
def deep(it):
    for text in (b"[" * 100_000, b"[" * 100_000 + b"]" * 100_000, b'{"a":' * 100_000,
                 b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
                 b'{"id":1,"method":"system.listMethods","params":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
                 b'{"id":' + b"[" * 100_000 + b"]" * 100_000 + b',"method":"system.listMethods"}'):
        answer = it.post(text)
        same(answer.code, -32700, f"code for {text[:30]}")
    with it.websocket() as socket:
        socket.send(b"[" * 100_000)
        same(socket.answer()["error"]["code"], -32700, "code over a WebSocket")
    alive(it)


@cases("numbers that no type holds end the daemon")
def numbers(it):
    for number in (b"1" * MEGA, b"1e999999999", b"-1e-999999999", b"1" * 400, b"0." + b"1" * MEGA,
                   b"1E+" + b"9" * 1000):
        for text in (b'{"id":%s,"method":"system.listMethods"}' % number,
                     b'{"id":1,"method":"aria2.tellWaiting","params":["%s",%s,5]}' % (it.token.encode(), number),
                     b'{"id":1,"method":"aria2.tellWaiting","params":["%s",0,%s]}' % (it.token.encode(), number)):
            answer = it.post(text)
            holds(answer.status in (200, 400, 500), f"status {answer.status}")
    alive(it)


@cases("texts of 2 MB, broken escapes, broken UTF-8 and NUL end the daemon")
def texts(it):
    large = "x" * 1_900_000
    for params in (([large],), ([it.files.url("late/a")], {"out": large}), ([it.files.url("late/a")], {large: "x"}),
                   ([it.files.url("late/a")], {"header": ["X: " + large], "pause": "true"}),
                   ([it.files.url("late/" + large)], {"pause": "true"})):
        holds(it.call("addUri", *params).status in (200, 400), "status of a long text")
    it.call("tellStatus", large)
    for escape in (rb"\ud800", rb"\udc00", rb"\ud800\ud800", rb"\u12", rb"\x41", b"\xff", b"\xc0\xaf", b"\xed\xa0\x80",
                   b"\x00", rb"\u0000", b"\n"):
        answer = it.post(b'{"id":"%s","method":"system.listNotifications"}' % escape)
        holds(answer.status in (200, 400, 500), f"status {answer.status} for {escape}")
    alive(it)


@cases("one request without a token for an answer that is a hundred times larger takes 256 MiB")
def amplified(it):
    before = it.daemon.watch_memory()
    call = b'{"methodName":"system.listMethods"}'
    count = 2 * MEGA // (len(call) + 1) - 10
    many = b'{"id":1,"method":"system.multicall","params":[[%s]]}' % b",".join([call] * count)
    batch = b"[%s]" % b",".join([b'{"id":1,"method":"system.listMethods"}'] * (2 * MEGA // 45))
    for text in (many, batch):
        with contextlib.suppress(http.client.HTTPException, OSError):
            rpc.post(it.port, text, timeout=60)
    alive(it)
    grown(it, before, "them")


@cases("objects with 100,000 names and batches of 500,000 members take 256 MiB")
def wide(it):
    before = it.daemon.watch_memory()
    names = ",".join(f'"k{number}":{number}' for number in range(100_000))
    holds(it.post(f'{{"id":1,"method":"system.listMethods",{names}}}'.encode()).status in (200, 500), "status")
    numbers = it.post(b"[" + b"1," * 500_000 + b"1]")
    if it.is_aria2:
        same(numbers.body, [], "a batch of numbers")
    else:
        # A message has at most 20,000 calls here.
        same((numbers.status, numbers.code), (400, -32600), "a batch of numbers")
    answer = it.post(b"[" + b"{}," * 100_000 + b"{}]")
    holds(answer.status in (200, 400, 413), f"status {answer.status}")
    grown(it, before, "them")
    alive(it)


@cases("50,000 requests on one connection that reads no answer take 64 MiB")
def unread(it):
    before = it.daemon.watch_memory()
    one = raw.head(it.port, "GET", "/jsonrpc?method=system.listMethods&id=1")
    with raw.connection(it.port, 3) as opened:
        with contextlib.suppress(OSError):
            opened.sendall(one * 50_000)
        alive(it)
        grown(it, before, "unread answers", 64 * MEGA)
