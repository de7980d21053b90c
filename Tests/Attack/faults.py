"""The ways in which the server misbehaves. Each takes the handler, the right answer, and random decisions."""

import time


def cut(handler, answer, rng):
    handler.send(answer, rng.randint(0, len(answer.body)))
    handler.hang_up(rudely=rng.random() < 0.5)


def refuse(handler, answer, rng):
    status(handler, rng.choice([500, 502, 503, 504]))


def busy(handler, answer, rng):
    status(handler, rng.choice([429, 503]), {"Retry-After": "1"})


def out_of_range(handler, answer, rng):
    status(handler, 416, {"Content-Range": f"bytes */{len(getattr(answer, 'whole', answer.body))}"})


def stall(handler, answer, rng):
    handler.send(answer, rng.randint(0, len(answer.body)))
    # Ends when the server settles, because otherwise the end of a round would wait for it.
    handler.server.calm.wait(rng.uniform(1, 6))
    handler.hang_up(rudely=False)


def stall_before(handler, answer, rng):
    handler.server.calm.wait(rng.uniform(1, 6))
    handler.hang_up(rudely=False)


def slow(handler, answer, rng):
    end = rng.randint(0, min(len(answer.body), 20000))
    handler.send(answer, 0)
    for start in range(0, end, 1000):
        handler.wfile.write(answer.body[start : min(start + 1000, end)])
        time.sleep(0.05)
    handler.wfile.write(answer.body[end:])


def whole(handler, answer, rng):
    if answer.status == 206:
        answer.status, answer.body = 200, memoryview(answer.whole)
        answer.headers.pop("Content-Range")
    handler.send(answer)


def another_range(handler, answer, rng):
    """Says truly that it sends another range."""
    if answer.status == 206:
        total = len(answer.whole)
        first = rng.randrange(total)
        end = rng.randint(first + 1, total)
        answer.body = memoryview(answer.whole)[first:end]
        answer.headers["Content-Range"] = f"bytes {first}-{end - 1}/{total}"
    handler.send(answer)


def another_total(handler, answer, rng):
    if answer.status == 206:
        total = len(answer.whole) + rng.choice([-1, 1, 1000])
        answer.headers["Content-Range"] = f"bytes {answer.first}-{answer.end - 1}/{total}"
    handler.send(answer)


def garbled_range(handler, answer, rng):
    if answer.status == 206:
        answer.headers["Content-Range"] = rng.choice(["bytes", "bytes 5-3/2", "items 0-1/2", "bytes -1-5/*", "junk"])
    handler.send(answer)


def no_range(handler, answer, rng):
    answer.headers.pop("Content-Range", None)
    handler.send(answer)


def contradicting_length(handler, answer, rng):
    # Without a range there is nothing that it would contradict.
    if answer.status == 206:
        answer.headers["Content-Length"] = str(max(0, len(answer.body) + rng.choice([-7, 7, 100000])))
    handler.send(answer)
    handler.hang_up(rudely=False)


def encoded(handler, answer, rng):
    answer.headers["Content-Encoding"] = "br"
    handler.send(answer)


def garbage(handler, answer, rng):
    handler.wfile.write(rng.randbytes(rng.randint(1, 3000)))
    handler.hang_up(rudely=rng.random() < 0.5)


def nothing(handler, answer, rng):
    handler.hang_up(rudely=rng.random() < 0.5)


def half_a_head(handler, answer, rng):
    handler.wfile.write(b"HTTP/1.1 206 Partial Content\r\nContent-Le")
    handler.hang_up(rudely=False)


def redirect(handler, answer, rng):
    status(handler, rng.choice([301, 302, 307, 308]), {"Location": handler.path.split("?")[0] + "?again"})


def status(handler, code, headers=None):
    handler.send_response(code)
    for name, value in (headers or {}).items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", "0")
    handler.end_headers()


FAULTS = {
    function.__name__: function
    for function in [
        cut, refuse, busy, out_of_range, stall, stall_before, slow, whole, another_range, another_total, garbled_range,
        no_range, contradicting_length, encoded, garbage, nothing, half_a_head, redirect,
    ]
}  # fmt: skip
