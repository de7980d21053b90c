"""A client of WebSockets that can also break the rules (RFC 6455)."""

import base64
import contextlib
import json
import os
import socket

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Refused(Exception):
    """The server did not take the handshake; `status` is that of its answer, 0 without one."""

    def __init__(self, status):
        super().__init__(f"no WebSocket: {status}")
        self.status = status


class Closed(Exception):
    """The connection has ended; `code` is that of the close frame, 0 without one."""

    def __init__(self, code=0):
        super().__init__(f"the WebSocket is closed: {code}")
        self.code = code


def frame(opcode, payload, is_last=True, is_masked=True, length=None, reserved=0):
    """The bytes of a frame; `length` is what its head claims."""
    length = len(payload) if length is None else length
    head = bytes([is_last << 7 | reserved << 4 | opcode])
    mask = is_masked << 7
    if length < 126:
        head += bytes([mask | length])
    elif length < 1 << 16:
        head += bytes([mask | 126]) + length.to_bytes(2, "big")
    else:
        head += bytes([mask | 127]) + length.to_bytes(8, "big")
    if not is_masked:
        return head + payload
    # A mask of zeros leaves the payload as it is.
    return head + bytes(4) + payload


class WebSocket:
    def __init__(self, port, path="/jsonrpc", headers=(), host=None, timeout=120, receive_buffer=None, connected=None):
        """`connected` is a connection that is there already, as one of TLS."""
        self.socket = connected or socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(timeout)
        if not connected:
            self.socket.connect(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = bytearray()
        self.notifications = []
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{port}'}", "Upgrade: websocket",
                 "Connection: Upgrade", f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", *headers]
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode())
        head = self.read_until(b"\r\n\r\n")
        words = head.split()
        status = int(words[1]) if len(words) > 1 else 0
        if status != 101:
            self.close()
            raise Refused(status)
        self.head = head.decode("latin-1")

    def read_until(self, end):
        while end not in self.buffer:
            try:
                part = self.socket.recv(1 << 16)
            except ConnectionError:
                part = b""
            if not part:
                return b""
            self.buffer += part
        at = self.buffer.index(end) + len(end)
        found = bytes(self.buffer[:at])
        del self.buffer[:at]
        return found

    def exactly(self, count):
        while len(self.buffer) < count:
            try:
                part = self.socket.recv(1 << 16)
            except ConnectionError:
                part = b""
            if not part:
                raise Closed
            self.buffer += part
        found = bytes(self.buffer[:count])
        del self.buffer[:count]
        return found

    def send(self, payload, opcode=TEXT, **how):
        self.socket.sendall(frame(opcode, payload.encode() if isinstance(payload, str) else payload, **how))

    def receive(self):
        """Returns (opcode, payload) of the next frame."""
        first, second = self.exactly(2)
        length = second & 127
        if length > 125:
            length = int.from_bytes(self.exactly(2 if length == 126 else 8), "big")
        payload = self.exactly(length)
        if first & 15 == CLOSE:
            raise Closed(int.from_bytes(payload[:2], "big"))
        return first & 15, payload

    def message(self):
        """Returns the next JSON that comes; answers pings."""
        while True:
            opcode, payload = self.receive()
            if opcode == PING:
                self.send(payload, PONG)
            elif opcode == TEXT:
                return json.loads(payload)

    def ask(self, request):
        """Sends a request and returns its answer; notifications that come before it are kept."""
        self.send(json.dumps(request))
        return self.answer()

    def answer(self):
        while True:
            message = self.message()
            if not (isinstance(message, dict) and "method" in message):
                return message
            self.notifications.append(message)

    def next_notification(self):
        return self.notifications.pop(0) if self.notifications else self.message()

    def close(self):
        with contextlib.suppress(OSError):
            self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
