"""Bytes on a socket, as an attacker sends them."""

import contextlib
import socket

FIRST = 5  # seconds: the longest wait for the first byte of an answer
QUIET = 0.3  # seconds without a byte after which an answer counts as over


def connection(port, timeout=FIRST):
    opened = socket.create_connection(("127.0.0.1", port), timeout)
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return opened


def read(opened, most=1 << 20):
    """All that comes until the other side closes or is quiet; True as second if it closed."""
    text = b""
    try:
        while len(text) < most:
            part = opened.recv(1 << 16)
            if not part:
                return text, True
            text += part
            opened.settimeout(QUIET)
    except TimeoutError:
        return text, False
    except ConnectionError:
        return text, True
    return text, False


def talk(port, data, timeout=FIRST):
    """Sends bytes and returns the answer and whether the connection was closed.

    A connection that breaks while they are sent is no fault. `timeout` is short where silence is right as well.
    """
    with connection(port, timeout) as opened:
        with contextlib.suppress(ConnectionError, TimeoutError):
            opened.sendall(data)
        return read(opened)


def head(port, method="POST", path="/jsonrpc", host=None, fields=()):
    return "\r\n".join([f"{method} {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{port}'}", *fields, "", ""]).encode()


def status(answer):
    """The status of the first answer; 0 without one."""
    words = answer.split(b" ", 2)
    return int(words[1]) if len(words) > 1 and words[0].startswith(b"HTTP/") and words[1].isdigit() else 0


def ask(port, method="GET", path="/", host=None, fields=(), body=b"", timeout=FIRST):
    """The answer to one request on a connection that ends with it."""
    more = [f"Content-Length: {len(body)}"] if body else []
    return talk(port, head(port, method, path, host, [*fields, *more, "Connection: close"]) + body, timeout)[0]
