"""A tree of files that a server of our own lists, as nginx would: the source of mirrors."""

import functools
import http.server
import os
import pathlib
import threading

PIECE = 1 << 14


class Handler(http.server.SimpleHTTPRequestHandler):
    """Lists directories; a file waits in its middle while the gate is closed."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.requests.append((self.path, self.headers))
        super().do_GET()

    def copyfile(self, source, outputfile):
        with self.server.lock:
            self.server.bodies += 1
            self.server.most = max(self.server.most, self.server.bodies)
        try:
            self.send_pieces(source, outputfile)
        finally:
            with self.server.lock:
                self.server.bodies -= 1

    def send_pieces(self, source, outputfile):
        while piece := source.read(PIECE):
            outputfile.write(piece)
            outputfile.flush()
            self.server.gate.wait()

    def log_message(self, *_):
        pass


class Tree(http.server.ThreadingHTTPServer):
    """`gate` is an event: while it is clear, bodies stop behind their first piece. `most` is the number of bodies
    that were under way at the same time."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.root.mkdir(parents=True, exist_ok=True)
        super().__init__(("127.0.0.1", 0), functools.partial(Handler, directory=str(self.root)))
        self.requests, self.gate, self.lock = [], threading.Event(), threading.Lock()
        self.bodies = self.most = 0
        self.gate.set()
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def handle_error(self, request, client_address):
        """A client that goes away is nothing to report."""

    def url(self, path=""):
        return f"http://127.0.0.1:{self.server_address[1]}/{path}"

    def write(self, path, content, age=0):
        """Writes a file; `age` seconds are taken from its date, which is all that the server tells of its version."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        date = int(file.stat().st_mtime) - age
        os.utime(file, (date, date))

    def asked(self, name):
        """The headers of the requests for a path with this name in it."""
        return [headers for path, headers in list(self.requests) if name in path]

    def stop(self):
        self.gate.set()
        self.shutdown()
        self.server_close()
