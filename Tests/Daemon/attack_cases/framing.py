"""Requests that contradict themselves, so that two programs see different requests in them."""

import raw
from outcome import Cases, holds, same

cases = Cases()
HIDDEN = b"GET /jsonrpc?method=system.listMethods&id=smuggled HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
CALL = b'{"id":1,"method":"system.listNotifications"}'


def send(it, fields, body):
    # A daemon may rightly wait for the rest of a body.
    return raw.talk(it.port, raw.head(it.port, fields=fields) + body, 1)[0]


def not_taken(it, fields, body, what):
    """What hides behind the body is not answered."""
    answer = send(it, fields, body)
    holds(b"smuggled" not in answer, f"the hidden request was answered: {what}")
    return answer


@cases("two different Content-Length fields hide a request")
def lengths(it):
    for first, second in ((0, len(HIDDEN)), (len(HIDDEN), 0)):
        answer = not_taken(it, [f"Content-Length: {first}", f"Content-Length: {second}"], HIDDEN, (first, second))
        holds(it.is_aria2 or raw.status(answer) == 400, f"status {raw.status(answer)}")
    not_taken(it, [f"Content-Length: 0, {len(HIDDEN)}"], HIDDEN, "a list of lengths")


@cases("Content-Length together with Transfer-Encoding hides a request")
def both(it):
    for fields in (["Content-Length: 5", "Transfer-Encoding: chunked"], ["Transfer-Encoding: chunked",
                   "Content-Length: 5"], [f"Content-Length: {5 + len(HIDDEN)}", "Transfer-Encoding: chunked"]):
        not_taken(it, fields, b"0\r\n\r\n" + HIDDEN, fields)


@cases("a Transfer-Encoding that not every program reads as chunked hides a request")
def encodings(it):
    for value in ("xchunked", "chunked, identity", "identity, chunked, identity", "chunked;q=1", "gzip", "chunked\x0b",
                  "\x00chunked"):
        not_taken(it, [f"Transfer-Encoding: {value}"], b"0\r\n\r\n" + HIDDEN, value)
        not_taken(it, [f"Transfer-Encoding: {value}", "Content-Length: 0"], HIDDEN, value)
    not_taken(it, ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"], b"0\r\n\r\n" + HIDDEN, "two")


@cases("a Content-Length that is not a number hides a request")
def numbers(it):
    for value in ("+0", "-1", "0x0", "0 0", "0" * 40 + "x", "1e1", " ", "18446744073709551616", "9223372036854775808",
                  "-0", "٠"):
        answer = not_taken(it, [f"Content-Length: {value}"], HIDDEN, value)
        holds(b'"result"' not in answer, f"the length {value!r} was taken")


@cases("a chunk whose size overflows or is not a number hides a request")
def chunks(it):
    for size in ("FFFFFFFFFFFFFFFFF", "10000000000000000", "8000000000000000", "-1", "0x0", "+0", " 0", "g", "", ";x"):
        body = size.encode() + b"\r\n" + b"\r\n" + HIDDEN
        not_taken(it, ["Transfer-Encoding: chunked"], body, size)
    # The first chunk says 3 and is 4 long.
    not_taken(it, ["Transfer-Encoding: chunked"], b"3\r\nabcd\r\n0\r\n\r\n" + HIDDEN, "a longer chunk")


@cases("spaces, folds, NUL and bare line ends in a head are taken")
def heads(it):
    length = len(HIDDEN)
    for fields in ([f"Content-Length : {length}"], ["X: y", f" Content-Length: {length}"],
                   [f"\tContent-Length: {length}"], [f"Content\x00-Length: {length}"],
                   ["X: \x00", f"Content-Length: {length}"], [f"X: y\rContent-Length: {length}"]):
        answer = send(it, fields, CALL)
        holds(b"onDownload" not in answer, f"{fields} was taken")


@cases("targets with spaces, line ends and NUL end the daemon")
def path(it):
    for target in ("/jsonrpc HTTP/1.1\r\nX: y", "/jsonrpc\x00", "/jsonrpc\tx", "jsonrpc", "*", "//", "/ /jsonrpc"):
        raw.talk(it.port, raw.head(it.port, "GET", target), 1)
    same(it.call("getVersion").status, 200, "status afterwards")


@cases("bytes that are not HTTP are answered, or end the daemon")
def nonsense(it):
    for data in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(600), b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                 b"GET /\r\n\r\n", b"\r\n" * 5000, b"\x00" * 70000, b"HTTP/1.1 200 OK\r\n\r\n",
                 b"GET / HTTP/9.9\r\n\r\n", b"G" * 70000):
        answer, _ = raw.talk(it.port, data, 1)
        holds(b" 200 " not in answer, f"{data[:20]} was answered")
    same(it.call("getVersion").status, 200, "status afterwards")


@cases("a chunked body or a second request at once is lost", "segdl")
def right(it):
    answer = send(it, ["Transfer-Encoding: chunked"], b"5\r\n" + CALL[:5] + b"\r\n%x\r\n" % (len(CALL) - 5) + CALL[5:]
                  + b"\r\n0\r\n\r\n")
    holds(b"onDownloadStart" in answer, "a chunked body is not read")
    one = raw.head(it.port, fields=[f"Content-Length: {len(CALL)}"]) + CALL
    two = raw.head(it.port, fields=[f"Content-Length: {len(CALL)}"]) + CALL.replace(b":1", b":2")
    answer, _ = raw.talk(it.port, one + two)
    first, second = answer.find(b'"id":1'), answer.find(b'"id":2')
    holds(0 < first < second, "two requests in one packet are not answered in order")
