"""A server on the loopback: files with ranges, statuses, redirects, and limits of speed and of bytes."""

import hashlib
import math
import pathlib
import re
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from FileServer import FileHandler, FileServer  # noqa: E402

DATE = "Mon, 01 Jan 2024 00:00:00 GMT"
TYPES = {
    "mp4": "video/mp4", "m3u8": "application/vnd.apple.mpegurl", "mpd": "application/dash+xml",
    "ts": "video/mp2t",
}
PIECE = 16_384


class Handler(FileHandler):
    def do_GET(self):
        path = self.path.partition("?")[0]
        with self.server.lock:
            self.server.requests.append((path, dict(self.headers)))
        self.answer(path)

    def answer(self, path):
        status = re.fullmatch(r"/status/(\d+)", path)
        if status:
            return self.send_answer(int(status[1]))
        if path == "/loop":
            return self.send_answer(302, fields={"Location": "/loop"})
        # A proxy is asked for whole URLs.
        content = self.server.files.get(re.sub("^http://[^/]*", "", path).lstrip("/"))
        if content is None:
            return self.send_answer(404)
        return self.send_content(content, {
            "Last-Modified": DATE, "ETag": '"' + hashlib.sha256(content).hexdigest()[:16] + '"',
            "Content-Type": TYPES.get(path.rsplit(".", 1)[-1], "application/octet-stream"),
        })

    def send_body(self, body):
        with self.server.lock:
            self.server.answers += 1
            self.server.most = max(self.server.most, self.server.answers)
        try:
            for start in range(0, len(body), PIECE):
                while self.server.sent >= self.server.stock:
                    time.sleep(0.01)
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


class Server(FileServer):
    def __init__(self, files):
        self.files = files
        self.sent = 0
        self.answers = 0  # under way now
        self.most = 0  # under way at the same time
        self.pause = 0  # seconds after each piece of an answer
        self.stock = math.inf  # bytes, after which it sends nothing more
        super().__init__(Handler)

    def reset(self):
        with self.lock:
            self.requests, self.sent, self.pause, self.most, self.stock = [], 0, 0, 0, math.inf

    @property
    def has_delivered(self):
        """True if it has sent its stock, and its clients have read all of that."""
        if self.sent < self.stock:
            return False
        with open("/proc/net/tcp", encoding="ascii") as table:
            sockets = [line.split() for line in list(table)[1:]]
        # Each line has the own address, the peer's, the state, and the bytes to send and to read.
        waiting = [row[4].split(":")[1] for row in sockets if row[2].endswith(f":{self.port:04X}")]
        return not any(int(count, 16) for count in waiting)
