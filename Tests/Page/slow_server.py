"""A small file server with ranges: one file at once, one slowly, and nothing else."""

import base64
import contextlib
import hashlib
import pathlib
import random
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from FileServer import FileHandler, FileServer  # noqa: E402

SMALL = b"small\n" * 100
DIGEST = hashlib.sha256(SMALL)


class Handler(FileHandler):
    is_slow = False

    def answer(self, path):
        server = self.server
        self.is_slow = path == "/slow.bin"
        if path == "/plain.bin":
            return self.send_plain()
        if path not in server.contents:
            return self.send_answer(404)
        if path == "/busy.txt" and not server.has_refused:
            server.has_refused = True
            return self.send_answer(503, fields={"Retry-After": "1"})
        fields = {"ETag": f'"{path}"'}
        if path in ("/small.txt", "/other.txt"):
            fields["Repr-Digest"] = f"sha-256=:{base64.b64encode(DIGEST.digest()).decode()}:"
        return self.send_content(server.contents[path], fields)

    def send_plain(self):
        server = self.server
        self.send_head(200, len(server.slow))
        is_first, server.has_broken = not server.has_broken, True
        self.is_slow, self.close_connection = not is_first, True
        self.send_body(server.slow[: 1 << 20] if is_first else server.slow)

    def send_body(self, body):
        if not self.is_slow:
            return super().send_body(body)
        # The daemon ends the connection of a download that is removed.
        with contextlib.suppress(OSError):
            for start in range(0, len(body), 10_000):
                self.wfile.write(body[start : start + 10_000])
                if self.server.is_closing.wait(0.05):
                    break
            else:
                return None
        self.close_connection = True
        return None


class SlowServer(FileServer):
    """Serves small.txt and other.txt with their digest, slow.bin at some 200 KB/s a connection, busy.txt from the
    second time on, and plain.bin without ranges, which breaks off at its first time."""

    def __init__(self):
        self.small, self.digest = SMALL, DIGEST.hexdigest()
        self.slow = random.Random(1).randbytes(24 << 20)
        self.contents = {"/slow.bin": self.slow, **dict.fromkeys(("/small.txt", "/other.txt", "/busy.txt"), SMALL)}
        self.has_refused = False
        self.has_broken = False
        super().__init__(Handler)
