"""A small file server on loopback, whose paths say how it behaves.

    /file/SIZE/NAME           a file with ranges
    /slow/RATE/SIZE/NAME      the same, RATE bytes per second on each connection
    /flood/SIZE/NAME          zeros, as fast as they go
    /zeros/SIZE/NAME          zeros with the length and the ranges of a file
    /late/NAME                a connection that never gets an answer
    /status/CODE/NAME         nothing but a status
    /to/HOST:PORT/PATH        a redirect to another server
    /field/NAME/VALUE         ten bytes with a field of the head, both percent-encoded
"""

import http.server
import re
import socketserver
import threading
import time
import urllib.parse

STEP = 0.02  # seconds between two parts of a slow body
PIECE = 1 << 16


def content(size, begin=0, end=None):
    """Bytes `begin` up to `end` of the file of that size: the number of each 8 bytes, so that no two places agree."""
    end = size if end is None else end
    first, last = begin // 8, (end + 7) // 8
    numbers = b"".join((number ^ size << 40).to_bytes(8, "little") for number in range(first, last))
    return numbers[begin - first * 8:end - first * 8]


def zeros(_, begin, end):
    return bytes(end - begin)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        self.server.requests.append((self.path, self.headers))
        try:
            self.answer(self.path.split("?")[0].split("/")[1:])
        except (ValueError, IndexError):
            self.send_head(404, 0)

    do_HEAD = do_GET

    def answer(self, parts):
        match parts[0]:
            case "file":
                self.send_file(int(parts[1]), None)
            case "zeros":
                self.send_file(int(parts[1]), None, zeros)
            case "slow":
                self.send_file(int(parts[2]), int(parts[1]))
            case "flood":
                self.flood(int(parts[1]))
            case "late":
                self.server.is_closing.wait()
                self.close_connection = True
            case "status":
                self.send_head(int(parts[1]), 0)
            case "to":
                self.send_head(302, 0, Location=f"http://{'/'.join(parts[1:])}")
            case "field":
                name, value = (urllib.parse.unquote(part) for part in parts[1:3])
                self.send_head(200, 10, **{name: value})
                self.wfile.write(content(10))
            case _:
                self.send_head(404, 0)

    def send_file(self, size, rate, data=content):
        begin, end = 0, size
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if asked:
            begin, end = int(asked[1]), min(size, int(asked[2]) + 1 if asked[2] else size)
            if begin >= end:
                return self.send_head(416, 0, **{"Content-Range": f"bytes */{size}"})
            self.send_head(206, end - begin, ETag=f'"{size}"', **{"Content-Range": f"bytes {begin}-{end - 1}/{size}"})
        else:
            self.send_head(200, size, ETag=f'"{size}"', **{"Accept-Ranges": "bytes"})
        if self.command != "HEAD":
            self.send_bytes(size, begin, end, rate, data)
        return None

    def send_bytes(self, size, begin, end, rate, data):
        step = PIECE if rate is None else max(1, int(rate * STEP))
        while begin < end and not self.server.is_closing.is_set():
            part = data(size, begin, min(end, begin + step))
            self.wfile.write(part)
            begin += len(part)
            if rate is not None:
                time.sleep(STEP)
        if begin < end:
            self.close_connection = True

    def flood(self, size):
        self.send_head(200, size)
        block = bytes(1 << 20)
        while size > 0 and not self.server.is_closing.is_set():
            size -= self.connection.send(block[:size])
        self.close_connection = size > 0

    def send_head(self, status, length, **fields):
        self.send_response(status)
        for name, value in {"Content-Length": length, **fields}.items():
            self.send_header(name, str(value))
        self.end_headers()

    def log_message(self, *_):
        pass


class FileServer(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """`requests` are (path, headers) as they came."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests = []
        self.is_closing = threading.Event()
        self.port = self.server_address[1]
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def url(self, path):
        return f"http://127.0.0.1:{self.port}/{path}"

    def asked(self, name):
        """The headers of the requests for a path with this name in it."""
        return [headers for path, headers in list(self.requests) if name in path]

    def handle_error(self, request, client_address):
        """A client that goes away is nothing to report."""

    def stop(self):
        self.is_closing.set()
        self.shutdown()
        self.server_close()
