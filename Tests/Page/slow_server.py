"""A small file server with ranges: one file at once, one slowly, and nothing else."""

import base64
import contextlib
import hashlib
import http.server
import random
import threading


class SlowServer:
    """Serves small.txt and other.txt with their digest, slow.bin at some 200 KB/s a connection, busy.txt from the
    second time on, and plain.bin without ranges, which breaks off at its first time."""

    def __init__(self):
        self.small = b"small\n" * 100
        self.digest = hashlib.sha256(self.small).hexdigest()
        self.slow = random.Random(1).randbytes(24 << 20)
        self.contents = {"/slow.bin": self.slow, **dict.fromkeys(("/small.txt", "/other.txt", "/busy.txt"), self.small)}
        self.ends = threading.Event()
        self.has_refused = False
        self.has_broken = False
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                owner.answer(self)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.server.shutdown()
        self.server.server_close()

    def answer(self, handler):
        name = handler.path.split("?")[0]
        if name == "/plain.bin":
            self.send_plain(handler)
            return
        content = self.contents.get(name)
        if content is None:
            handler.send_error(404)
            return
        if name == "/busy.txt" and not self.has_refused:
            self.has_refused = True
            self.refuse(handler)
            return
        start, end = 0, len(content)
        asked = handler.headers.get("Range")
        if asked:
            first, last = asked.removeprefix("bytes=").split("-")
            start, end = int(first), int(last) + 1 if last else len(content)
        handler.send_response(206 if asked else 200)
        handler.send_header("Content-Length", str(end - start))
        handler.send_header("Accept-Ranges", "bytes")
        handler.send_header("ETag", f'"{name}"')
        if name in ("/small.txt", "/other.txt"):
            digest = base64.b64encode(bytes.fromhex(self.digest)).decode()
            handler.send_header("Repr-Digest", f"sha-256=:{digest}:")
        if asked:
            handler.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(content)}")
        handler.end_headers()
        try:
            self.send(handler, content[start:end], is_slow=content is self.slow)
        except OSError:
            handler.close_connection = True

    def send_plain(self, handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(self.slow)))
        handler.end_headers()
        is_first, self.has_broken = not self.has_broken, True
        handler.close_connection = True
        # The daemon ends the connection of a download that is removed.
        with contextlib.suppress(OSError):
            self.send(handler, self.slow[: 1 << 20] if is_first else self.slow, is_slow=not is_first)

    def refuse(self, handler):
        handler.send_response(503)
        handler.send_header("Retry-After", "1")
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    def send(self, handler, content, is_slow):
        step = 10_000 if is_slow else len(content)
        for start in range(0, len(content), step):
            handler.wfile.write(content[start : start + step])
            if is_slow and self.ends.wait(0.05):
                return
