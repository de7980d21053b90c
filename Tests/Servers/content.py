"""The files that every server serves."""

import os
import random

SIZES = {"empty.bin": 0, "one.bin": 1, "small.bin": 65_537, "large.bin": 8 << 20}
ARCHIVE = "archive.tar.gz"
BIG = "big.bin"
# More than the kernel keeps in the buffers of four connections, because otherwise a server could be stopped unnoticed.
BIG_SIZE = 48 << 20
LISTED = 50
# Apache sends a weak ETag for a file of the last second, and another one later.
LONG_AGO = 1_700_000_000

ODD = [
    "plain.bin", "no extension", "page.html", "text.txt", "two  spaces.bin", "per%cent.bin", "50%25.bin", "hash#.bin",
    "question?.bin", "query?a=b&c=d.bin", "plus+.bin", "amp&.bin", "&amp;.bin", "semi;.bin", "ümlaut ß.bin", "日本.bin",
    "quote'.bin", 'double".bin', "less<&>.bin", "colon:.bin", "at@.bin", "equals=.bin", "brackets[1].bin", "tilde~.bin",
    "dollar$.bin", "comma,.bin", "exclaim!.bin", "paren().bin", "star*.bin", "pipe|.bin", "caret^.bin", "tick`.bin",
    "brace{}.bin", "l" * 196 + ".bin",
]  # fmt: skip
BELOW = [
    "sub dir/a.bin", "sub dir/.dotted", "sub dir/100%.bin", "ümlaut/b.bin", "ümlaut/ä ö.bin", "deep/1/2/3/c.bin",
    "deep/1/d.bin", "deep/1/2/e#f.bin", "hash#dir/g.bin", "question?dir/h.bin", "per%20cent/i.bin", "amp&dir/j.bin",
    "quote'dir/k.bin", "plus+dir/l.bin", "v1.0/m.bin", "n" * 200 + "/o.bin",
]  # fmt: skip
TREE = ODD + BELOW


def made(name, size, version=0):
    return random.Random(f"{name} {version}").randbytes(size)


class Site:
    """A document root of its own for one server, because cases change files."""

    def __init__(self, root):
        self.root = root
        root.mkdir()
        for name, size in SIZES.items():
            self.write(name, made(name, size))
        self.write(ARCHIVE, made(ARCHIVE, 300_001))
        self.write(BIG, made(BIG, BIG_SIZE))
        for number in range(LISTED):
            self.write(f"list/f{number:02}.bin", made(f"list {number}", number * 61))
        for number, path in enumerate(TREE):
            self.write(f"tree/{path}", made(path, 100 + number))
        self.written = 0

    def write(self, path, data, date=LONG_AGO):
        """Puts a file there in one step, because a server may be reading the one before."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        new = self.root.parent / "new"
        new.write_bytes(data)
        os.utime(new, (date, date))
        new.rename(file)

    def change(self, path, data):
        """Writes another version with another date."""
        self.written += 1
        self.write(path, data, LONG_AGO + 1000 * self.written)

    def read(self, path):
        return (self.root / path).read_bytes()
