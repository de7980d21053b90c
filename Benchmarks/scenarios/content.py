"""The files that servers hand out, and whether what arrived is the same."""

import hashlib
import os
import random

KIB, MIB, GIB = 1024, 1024**2, 1024**3


class File:
    """Random bytes in the servers' directory, made once."""

    def __init__(self, folder, name, size):
        self.name, self.size, self.path = name, size, f"{folder}/{name}"
        if not os.path.exists(self.path):
            with open(self.path, "wb") as file:
                for offset in range(0, size, MIB):
                    file.write(os.urandom(min(MIB, size - offset)))

    def send(self, connection, offset, count):
        """Sends up to `count` bytes from `offset`; how many."""
        with open(self.path, "rb", buffering=0) as file:
            return os.sendfile(connection.fileno(), file.fileno(), offset, count)

    def digest(self):
        with open(self.path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def differs(self, path):
        if os.path.getsize(path) != self.size:
            return f"{os.path.getsize(path)} bytes instead of {self.size}"
        with open(self.path, "rb") as ours, open(path, "rb") as theirs:
            while block := ours.read(MIB):
                if theirs.read(MIB) != block:
                    return f"other bytes before {ours.tell()}"
        return None


class Pattern:
    """Bytes computed from their offset, as many as wanted. The period is no multiple of any block's size, so that
    a block in the place of another is noticed."""

    PERIOD = 16 * MIB - 3
    block = None

    def __init__(self, name, size):
        self.name, self.size = name, size
        Pattern.block = Pattern.block or memoryview(random.Random(1).randbytes(self.PERIOD) * 2)

    def at(self, offset, count):
        start = offset % self.PERIOD
        return self.block[start:start + min(count, self.PERIOD)]

    def send(self, connection, offset, count):
        return connection.send(self.at(offset, min(count, 4 * MIB)))

    def differs(self, path):
        if os.path.getsize(path) != self.size:
            return f"{os.path.getsize(path)} bytes instead of {self.size}"
        with open(path, "rb") as file:
            offset = 0
            while block := file.read(4 * MIB):
                if self.at(offset, len(block)) != block:
                    return f"other bytes behind {offset}"
                offset += len(block)
        return None


class One:
    """A run is to leave the one file `out`."""

    files = 1

    def __init__(self, file):
        self.file, self.size = file, file.size

    def differs(self, out):
        return self.file.differs(f"{out}/out")


class Many:
    """A run is to leave these files under their own names."""

    def __init__(self, files):
        self.members, self.files, self.size = files, len(files), sum(file.size for file in files)

    def differs(self, out):
        for file in self.members:
            if reason := file.differs(f"{out}/{file.name}"):
                return f"{file.name}: {reason}"
        return None


class Nothing:
    """A run that downloads nothing."""

    files = size = 0

    def differs(self, _):
        return None
