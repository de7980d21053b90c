"""One connection of the server."""

import contextlib
import http.server
import pathlib
import socket
import struct
import sys
import time

from .faults import FAULTS

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from FileServer import requested  # noqa: E402


class Answer:
    """An answer as it should be sent."""

    def __init__(self, status, body=b"", **headers):
        self.status, self.body = status, memoryview(body)
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        server, name = self.server, self.path.split("?")[0].lstrip("/")
        version = server.now(name)
        if name.endswith("/") or not name:
            answer = self.listing(name)
        elif version is None:
            answer = Answer(404)
        else:
            answer = self.answer(version)
        fault = server.fault()
        if self.command == "GET":
            server.log.append((name, answer.status))
        if fault and version is not None:
            FAULTS[fault](self, answer, server.rng)
        else:
            self.send(answer)

    do_HEAD = do_GET

    def listing(self, directory):
        entries = self.server.entries(directory)
        if not entries and directory:
            return Answer(404)
        links = "".join(f'<a href="{entry}">{entry}</a>\n' for entry in entries)
        return Answer(200, f"<html><body><h1>Index of /{directory}</h1>\n{links}</body></html>".encode())

    def answer(self, version):
        """What an orderly server answers."""
        headers = {"ETag": version.etag, "Last_Modified": version.date, "Accept_Ranges": "bytes"}
        headers.pop(self.server.without, None)
        known = self.headers["If-None-Match"]
        if known == version.etag or known is None and self.headers["If-Modified-Since"] == version.date:
            return Answer(304, **headers)
        total = len(version.body)
        part = requested(self.headers["Range"], total)
        # Real servers answer a range of an empty file with the file.
        if part is None or not total:
            return Answer(200, version.body, **headers)
        if not part:
            return Answer(416, Content_Range=f"bytes */{total}")
        first, end = part
        answer = Answer(206, memoryview(version.body)[first:end], **headers)
        answer.headers["Content-Range"] = f"bytes {first}-{end - 1}/{total}"
        answer.whole, answer.first, answer.end = version.body, first, end
        return answer

    def send(self, answer, end=None):
        """Sends an answer, or its first bytes, at the server's pace."""
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.status != 304 and "Content-Length" not in answer.headers:
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if self.command == "HEAD" or answer.status == 304:
            return
        body, rate = answer.body[:end], self.server.rate
        piece = max(1, min(16384, int(rate / 20))) if rate else max(1, len(body))
        for start in range(0, len(body), piece):
            self.wfile.write(body[start : start + piece])
            if rate:
                time.sleep(piece / rate)

    def hang_up(self, rudely):
        self.close_connection = True
        with contextlib.suppress(OSError):
            if rudely:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            else:
                self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *_):
        pass
