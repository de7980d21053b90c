"""A server on the loopback: files with ranges, statuses, redirects, and a speed limit."""

import hashlib
import http.server
import re
import threading
import time

DATE = "Mon, 01 Jan 2024 00:00:00 GMT"
TYPES = {
    "mp4": "video/mp4", "m3u8": "application/vnd.apple.mpegurl", "mpd": "application/dash+xml",
    "ts": "video/mp2t",
}
PIECE = 16_384


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        path = self.path.split("?")[0]
        with self.server.lock:
            self.server.requests.append((path, dict(self.headers)))
        status = re.fullmatch(r"/status/(\d+)", path)
        if status:
            return self.answer(int(status[1]), b"")
        if path == "/loop":
            return self.answer(302, b"", Location="/loop")
        # A proxy is asked for whole URLs.
        content = self.server.files.get(re.sub("^http://[^/]*", "", path).lstrip("/"))
        if content is None:
            return self.answer(404, b"")
        fields = {
            "Accept-Ranges": "bytes", "Last-Modified": DATE,
            "ETag": '"' + hashlib.sha256(content).hexdigest()[:16] + '"',
            "Content-Type": TYPES.get(path.rsplit(".", 1)[-1], "application/octet-stream"),
        }
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if not wanted:
            return self.answer(200, content, **fields)
        start, end = int(wanted[1]), int(wanted[2] or len(content) - 1)
        if start >= len(content):
            return self.answer(416, b"", **{"Content-Range": f"bytes */{len(content)}"})
        fields["Content-Range"] = f"bytes {start}-{min(end, len(content) - 1)}/{len(content)}"
        return self.answer(206, content[start:end + 1], **fields)

    def answer(self, status, body, **fields):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "HEAD":
            return
        with self.server.lock:
            self.server.answers += 1
            self.server.most = max(self.server.most, self.server.answers)
        try:
            for start in range(0, len(body), PIECE):
                self.wfile.write(body[start:start + PIECE])
                with self.server.lock:
                    self.server.sent += len(body[start:start + PIECE])
                if self.server.pause:
                    time.sleep(self.server.pause)
        except OSError:
            self.close_connection = True
        finally:
            with self.server.lock:
                self.server.answers -= 1


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, files):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = files
        self.lock = threading.Lock()
        self.requests = []
        self.sent = 0
        self.answers = 0  # under way now
        self.most = 0  # under way at the same time
        self.pause = 0  # seconds after each piece of an answer
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self, path):
        return f"http://127.0.0.1:{self.server_address[1]}/{path}"

    def handle_error(self, request, client_address):
        """A client that leaves in the middle is no news."""

    def reset(self):
        with self.lock:
            self.requests, self.sent, self.pause, self.most = [], 0, 0, 0
