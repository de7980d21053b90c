"""A web server whose files change, and that misbehaves."""

import contextlib
import socket
import threading
import time

from .faults import FAULTS
from .handler import Handler
from .source import Source


class Server(Source):
    """Serves files, each of which has versions. Listens on a port that the kernel gives out.

    - rate: bytes per second of each connection; 0 for no limit
    - trouble: the part of answers that have a fault
    - without: the validator that no answer has, "ETag" or "Last_Modified"
    """

    def __init__(self, rng, rate=0, trouble=0.0, without=None):
        super().__init__(rng)
        self.rate, self.trouble, self.without = rate, trouble, without
        # Pairs of a name and a status.
        self.log = []
        self.closed = False
        self.calm = threading.Event()
        self.connections = set()
        self.listener = self.bound(0)
        self.port = self.listener.getsockname()[1]
        self.is_open = True
        self.listener.listen(128)
        self.accepting = threading.Thread(target=self.accept, daemon=True)
        self.accepting.start()

    def url(self, name=""):
        return f"http://127.0.0.1:{self.port}/{name}"

    def wait_for(self, name):
        """Waits until a file has been asked for."""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if any(asked == name for asked, _ in self.log):
                return
            time.sleep(0.005)
        raise TimeoutError(f"{name} was not asked for")

    # MARK: Trouble

    def fault(self):
        with self.lock:
            if self.calm.is_set() or self.rng.random() >= self.trouble:
                return None
            return self.rng.choice(sorted(FAULTS))

    def settle(self):
        """Ends all trouble."""
        self.calm.set()
        self.open()
        self.rate = 0

    def shut(self):
        """Refuses connections, and drops the ones that there are."""
        with self.lock:
            if not self.is_open:
                return
            self.is_open = False
            # Wakes the thread that accepts.
            self.listener.shutdown(socket.SHUT_RDWR)
            self.listener.close()
            # Keeps the port, because otherwise another program could take it.
            self.listener = self.bound(self.port)
            dropped = list(self.connections)
        for connection in dropped:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def open(self):
        with self.lock:
            if not self.is_open:
                self.listener.listen(128)
                self.is_open = True

    # MARK: Connections

    @staticmethod
    def bound(port):
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        return listener

    def accept(self):
        while not self.closed:
            with self.lock:
                listener = self.listener if self.is_open else None
            if listener is None:
                self.calm.wait(0.02)
                continue
            with contextlib.suppress(OSError):
                connection, address = listener.accept()
                threading.Thread(target=self.serve, args=(connection, address), daemon=True).start()

    def serve(self, connection, address):
        with self.lock:
            self.connections.add(connection)
        try:
            with contextlib.suppress(OSError, ValueError):
                Handler(connection, address, self)
        finally:
            with self.lock:
                self.connections.discard(connection)
            connection.close()

    def close(self):
        self.closed = True
        self.calm.set()
        self.shut()
        self.listener.close()
        self.accepting.join(5)
