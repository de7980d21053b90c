#!/usr/bin/env python3
"""A server that answers requests which are sent ahead of other answers (pipelined), rightly or wrongly.

    server.py MODE

Prints its port, and ends with its standard input. `/f/NUMBER` is a file of 5,000 bytes, `/log` what happened so far.
MODE says how it errs, as the functions below do.
"""

import asyncio
import json
import sys

LENGTH = 5_000
LOG = {"requests": 0, "connections": 0, "depth": 0}


def content(path, length=LENGTH):
    number = int(path.rsplit("/", 1)[1])
    return (b"%06d:" % number * (length // 7 + 1))[:length]


def answer(path, body=None, fields=(), status="200 OK"):
    body = content(path) if body is None else body
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *fields]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def right(paths, _answered):
    """Yields the answers to the requests that wait, in order."""
    for path in paths:
        yield answer(path)


def swapped(paths, _answered):
    for first, second in zip(paths[::2], paths[1::2], strict=False):
        yield answer(second)
        yield answer(first)
    if len(paths) % 2:
        yield answer(paths[-1])


def bodies(paths, _answered):
    """The bodies of two requests are exchanged, and their heads are not."""
    for path, other in zip(paths, paths[1:] + paths[:1], strict=True):
        yield answer(path, content(other))


def twice(paths, answered):
    for number, path in enumerate(paths):
        yield answer(path)
        if len(paths) > 1 and (answered + number) % 3 == 2:
            yield answer(path)


def dropped(paths, _answered):
    for number, path in enumerate(paths):
        if len(paths) == 1 or number % 4 != 1:
            yield answer(path)


def ignored(paths, _answered):
    """The requests behind the first one are read, and forgotten."""
    yield answer(paths[0])


def hung_up(paths, answered):
    for number, path in enumerate(paths):
        if len(paths) > 1 and answered + number == 3:
            yield None
        yield answer(path)


def closed(paths, answered):
    """Every twentieth answer ends its connection, and says so."""
    for number, path in enumerate(paths):
        last = (answered + number) % 20 == 19
        yield answer(path, fields=["Connection: close"] if last else [])
        if last:
            yield None


def cut(paths, answered):
    """A body ends early, and the connection with it."""
    for number, path in enumerate(paths):
        if len(paths) > 1 and answered + number == 5:
            yield answer(path)[:-100]
            yield None
        yield answer(path)


def garbage(paths, _answered):
    for path in paths:
        yield answer(path) + (b"\r\nnonsense" if len(paths) > 1 else b"")


def proxied(paths, _answered):
    for path in paths:
        yield answer(path, fields=["Via: 1.1 somewhere"])


def chunked(paths, _answered):
    for path in paths:
        body = content(path)
        yield (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"%x\r\n" % len(body) + body
               + b"\r\n0\r\n\r\n")


def busy(paths, _answered):
    """One request at a time is answered, and the others are refused."""
    for number, path in enumerate(paths):
        yield answer(path) if number == 0 else answer(path, b"", ["Retry-After: 0"], "503 Busy")


def refused(paths, _answered):
    """Requests that wait behind others get the wrong status."""
    for path in paths:
        yield answer(path) if len(paths) == 1 else answer(path, b"", status="404 Not Found")


def partial(paths, _answered):
    """Ranges are honoured, as most servers do."""
    for path in paths:
        fields = [f"Content-Range: bytes 0-{LENGTH - 1}/{LENGTH}", 'ETag: "1"']
        yield answer(path, fields=fields, status="206 Partial Content")


class Stuck:
    """Every request of a connection gets the body of its first one, as from a proxy that keeps it."""

    def __init__(self):
        self.first = None

    def __call__(self, paths, _answered):
        for path in paths:
            self.first = self.first or path
            yield answer(path, content(self.first))


stuck = Stuck


class Connection:
    def __init__(self, mode):
        self.mode = mode() if isinstance(mode, type) else mode
        self.waiting, self.answered, self.wakes = [], 0, asyncio.Event()

    async def run(self, reader, writer):
        LOG["connections"] += 1
        answering = asyncio.create_task(self.answer(writer))
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                path = head.split(b" ", 2)[1].decode()
                if path == "/log":
                    writer.write(answer(path, json.dumps(LOG).encode()))
                    continue
                LOG["requests"] += 1
                self.waiting.append(path)
                self.wakes.set()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            answering.cancel()
            writer.close()

    async def answer(self, writer):
        while True:
            await self.wakes.wait()
            # Time for others to come: a line has it too.
            await asyncio.sleep(0.02)
            paths, self.waiting = self.waiting, []
            self.wakes.clear()
            LOG["depth"] = max(LOG["depth"], len(paths))
            for reply in self.mode(paths, self.answered):
                if reply is None:
                    writer.close()
                    return
                writer.write(reply)
            self.answered += len(paths)


async def main():
    mode = globals()[sys.argv[1]]
    server = await asyncio.start_server(lambda *streams: Connection(mode).run(*streams), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


asyncio.run(main())
