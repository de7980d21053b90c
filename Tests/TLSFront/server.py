#!/usr/bin/env python3
"""TLS in front of another server on this machine: bytes pass unchanged, and so does the end of a connection.

    server.py CERTIFICATE KEY PORT

Prints the port it listens on, and ends with its standard input. It offers no protocol by ALPN, so that it is spoken
to in HTTP/1.1.
"""

import asyncio
import ssl
import sys


async def copy(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.close()
    except OSError:
        # A reset must not look like an orderly end.
        writer.transport.abort()


async def serve(port, reader, writer):
    try:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        writer.transport.abort()
        return
    await asyncio.gather(copy(reader, far_writer), copy(far_reader, writer))


async def main(certificate, key, port):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = await asyncio.start_server(
        lambda reader, writer: serve(port, reader, writer), "127.0.0.1", 0, ssl=context, backlog=512
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
