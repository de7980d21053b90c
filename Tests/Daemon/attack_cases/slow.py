"""Heads and bodies that come byte by byte, and connections that say nothing.

They are opened first and looked at last: a daemon has time to end them meanwhile.
"""

import contextlib
import threading
import time

import raw
from outcome import holds, same

LONGEST = 75  # seconds: a slow request must have been ended by then
STEP = 0.5  # seconds between two bytes


class SlowRequests:
    """Three kinds of slow requests to one daemon, many of each."""

    def __init__(self, it, count=20):
        self.it, self.began = it, time.monotonic()
        self.sockets = {
            "heads": [(raw.connection(it.port), b"POST /jsonrpc HTTP/1.1\r\nX: " + b"y" * 1000) for _ in range(count)],
            "bodies": [(raw.connection(it.port), raw.head(it.port, fields=["Content-Length: 1000000"]) + b" " * 1000)
                       for _ in range(count)],
            "silence": [(raw.connection(it.port), b"") for _ in range(count)],
        }
        self.ended = dict.fromkeys(self.sockets, 0)
        for kind, pairs in self.sockets.items():
            for opened, data in pairs:
                head, rest = (data[:-990], data[-990:]) if data else (b"", b"")
                opened.sendall(head)
                threading.Thread(target=self.drip, args=(kind, opened, rest), daemon=True).start()

    def drip(self, kind, opened, rest):
        """Sends a byte now and then until the connection ends."""
        opened.settimeout(STEP)
        with contextlib.suppress(OSError):
            for at in range(2 * LONGEST):
                if rest:
                    opened.sendall(rest[at:at + 1])
                with contextlib.suppress(TimeoutError):
                    if opened.recv(1 << 16) == b"":
                        break
            else:
                return
        self.ended[kind] += 1

    def check(self, kind):
        """Waits until all of a kind are ended, at most as long as they may last."""
        pairs = self.sockets[kind]
        while self.ended[kind] < len(pairs) and time.monotonic() < self.began + LONGEST:
            time.sleep(0.1)
        same(self.it.call("getVersion").status, 200, "status of another caller")
        still = len(pairs) - self.ended[kind]
        holds(still == 0, f"{still} of {len(pairs)} slow {kind} are open after {LONGEST} seconds")
