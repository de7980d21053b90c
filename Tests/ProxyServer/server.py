#!/usr/bin/env python3
"""A proxy that opens tunnels (CONNECT), and answers that request in unusual ways.

    server.py MODE

Prints its port, and ends with its standard input. `GET /log` asks for what happened so far: how many tunnels were asked
for, and how many were opened. MODE is one of `MODES`, or `refused`, `no-tunnels`, `busy-once` or `closes-once`; or
`socks-none` or `socks-N` for a SOCKS5 proxy (RFC 1928) that accepts no method, or sends the reply N.
"""

import asyncio
import json
import sys

# What is sent for an open tunnel, in the place of a plain `HTTP/1.1 200 OK`.
MODES = {
    "plain": b"HTTP/1.1 200 OK\r\n\r\n",
    "chunked": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    "length": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
    "http10": b"HTTP/1.0 200 Connection established\r\n\r\n",
    "closing": b"HTTP/1.1 200 OK\r\nConnection: close\r\nProxy-Connection: close\r\n\r\n",
}
REFUSAL = b"HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: 17\r\n\r\nBlocked by policy"
NO_TUNNELS = b"HTTP/1.1 501 Not Implemented\r\nContent-Length: 0\r\n\r\n"
BUSY = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
LOG = {"asked": 0, "opened": 0}


async def copy(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    writer.close()


async def tunnel(mode, target, reader, writer):
    LOG["asked"] += 1
    if mode in ("refused", "no-tunnels") or (mode in ("busy-once", "closes-once") and LOG["asked"] == 1):
        answers = {"refused": REFUSAL, "no-tunnels": NO_TUNNELS, "busy-once": BUSY, "closes-once": b""}
        writer.write(answers[mode])
        return
    host, port = target.rsplit(":", 1)
    far_reader, far_writer = await asyncio.open_connection(host, int(port))
    LOG["opened"] += 1
    writer.write(MODES.get(mode, MODES["plain"]))
    await asyncio.gather(copy(reader, far_writer), copy(far_reader, writer))


async def refuse_socks(reply, reader, writer):
    LOG["asked"] += 1
    if reply == "silent":
        await reader.read()
        return
    await reader.readexactly((await reader.readexactly(1))[0])
    if reply == "none":
        writer.write(b"\x05\xff")
        return
    writer.write(b"\x05\x00")
    address = (await reader.readexactly(4))[3]
    length = {1: 4, 4: 16}.get(address) or (await reader.readexactly(1))[0]
    await reader.readexactly(length + 2)
    writer.write(bytes([5, int(reply), 0, 1]) + bytes(6))


async def serve(mode, reader, writer):
    try:
        first = await reader.readexactly(1)
        if first == b"\x05":
            await refuse_socks(mode.removeprefix("socks-"), reader, writer)
            await writer.drain()
            writer.close()
            return
        head = first + await reader.readuntil(b"\r\n\r\n")
        method, target, _ = head.decode("latin-1").split(" ", 2)
        if method == "CONNECT":
            await tunnel(mode, target, reader, writer)
        else:
            body = json.dumps(LOG).encode()
            writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()
    except (OSError, asyncio.IncompleteReadError):
        pass
    writer.close()


async def main():
    mode = sys.argv[1]
    server = await asyncio.start_server(lambda r, w: serve(mode, r, w), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


asyncio.run(main())
