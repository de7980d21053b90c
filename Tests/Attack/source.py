"""The files of a server, each of which has versions."""

import email.utils
import hashlib
import threading

# 2020: long before any test, so that no version's date is in the future.
FIRST_DATE = 1577836800


def content(text, size):
    """Bytes that follow from a text."""
    return hashlib.shake_128(text.encode()).digest(size)


class Version:
    def __init__(self, name, number, size, seed):
        self.body = content(f"{seed} {name} {number}", size)
        self.etag = f'"{hashlib.sha256(f"{seed} {name} {number}".encode()).hexdigest()[:16]}"'
        self.date = email.utils.formatdate(FIRST_DATE + number, usegmt=True)


class Source:
    def __init__(self, rng):
        self.rng = rng
        self.seed = rng.random()
        self.lock = threading.Lock()
        self.versions = {}
        self.present = set()

    def add(self, name, size):
        with self.lock:
            number = len(self.versions.setdefault(name, []))
            self.versions[name].append(Version(name, number, size, self.seed))
            self.present.add(name)

    def change(self, name):
        """Gives a file other bytes, of the same length or another one."""
        size = len(self.now(name).body)
        self.add(name, size if self.rng.random() < 0.5 else max(0, size + self.rng.randint(-size // 3, size // 3)))

    def remove(self, name):
        with self.lock:
            self.present.discard(name)

    def now(self, name):
        with self.lock:
            return self.versions[name][-1] if name in self.present else None

    def bodies(self, name):
        """The contents that a file has had."""
        return [version.body for version in self.versions[name]]

    def entries(self, directory):
        """The names in a directory; those of directories end in a slash."""
        with self.lock:
            below = {name[len(directory) :] for name in self.present if name.startswith(directory)}
        return sorted({name.split("/")[0] + ("/" if "/" in name else "") for name in below})
