"""The file server of the tests in Python: the only one of them that reads Range.

A test's server is a `FileServer` with a handler of its own, whose `answer` decides and whose `send_content` and
`send_answer` send. A body is anything with a length and slices.
"""

import http.server
import re
import threading


def requested(field, length):
    """Returns the bytes that a Range field asks for, as (begin, end) with begin < end; None for the whole content, as
    servers do for several ranges and for what they cannot read; and an empty tuple where none of them exists."""
    match = re.fullmatch(r"bytes=(\d*)-(\d*)", field or "")
    if not match or match[0] == "bytes=-":
        return None
    if not match[1]:
        begin, end = max(0, length - int(match[2])), length
    else:
        begin, end = int(match[1]), min(length, int(match[2]) + 1 if match[2] else length)
        if match[2] and int(match[2]) < begin:
            return None
    return (begin, end) if begin < end else ()


class Content:
    """Bytes that are made when they are sent: `make(begin, end)` returns those of a slice."""

    def __init__(self, length, make):
        self.length, self.make = length, make

    def __len__(self):
        return self.length

    def __getitem__(self, part):
        begin, end, _ = part.indices(self.length)
        return self.make(begin, max(begin, end))


class View:
    """A part of a content, without a copy of it."""

    def __init__(self, content, begin, end):
        self.content, self.begin, self.end = content, begin, end

    def __len__(self):
        return self.end - self.begin

    def __getitem__(self, part):
        begin, end, _ = part.indices(len(self))
        return self.content[self.begin + begin:self.begin + max(begin, end)]


class FileHandler(http.server.BaseHTTPRequestHandler):
    """Subclasses answer: `answer(path)` gets the path without its query."""

    protocol_version = "HTTP/1.1"
    # The head and the body are two writes.
    disable_nagle_algorithm = True
    piece = 1 << 16

    def do_GET(self):
        self.server.requests.append((self.path, self.headers))
        self.answer(self.path.partition("?")[0])

    def do_HEAD(self):
        self.do_GET()

    def send_content(self, content, fields=None):
        """Sends the content, or the part of it that Range asks for."""
        fields = {"Accept-Ranges": "bytes", **(fields or {})}
        part = requested(self.headers.get("Range"), len(content))
        # Real servers answer a range of an empty file with the file.
        if part is None or not len(content):
            self.send_answer(200, content, fields)
        elif not part:
            self.send_answer(416, b"", {"Content-Range": f"bytes */{len(content)}"})
        else:
            fields["Content-Range"] = f"bytes {part[0]}-{part[1] - 1}/{len(content)}"
            self.send_answer(206, View(content, *part), fields)

    def send_answer(self, status, body=b"", fields=None):
        self.send_head(status, len(body), fields)
        if self.command != "HEAD":
            self.send_body(body)

    def send_head(self, status, length, fields=None):
        self.send_response(status)
        for name, value in {"Content-Length": length, **(fields or {})}.items():
            self.send_header(name, str(value))
        self.end_headers()

    def send_body(self, body):
        for start in range(0, len(body), self.piece):
            self.wfile.write(body[start:start + self.piece])

    def log_message(self, *_):
        pass


class FileServer(http.server.ThreadingHTTPServer):
    """On a free port of 127.0.0.1, from its making until `stop`. `requests` are (path, headers) as they came."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(self, handler):
        super().__init__(("127.0.0.1", 0), handler)
        self.requests = []
        self.lock = threading.Lock()
        self.is_closing = threading.Event()
        self.port = self.server_address[1]
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def url(self, path=""):
        return f"http://127.0.0.1:{self.port}/{path}"

    def asked(self, name):
        """The headers of the requests for a path with this name in it."""
        return [headers for path, headers in list(self.requests) if name in path]

    def handle_error(self, request, client_address):
        """A client that goes away is nothing to report."""

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.is_closing.set()
        self.shutdown()
        self.server_close()
