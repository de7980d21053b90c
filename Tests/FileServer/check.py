"""Checks what the file server makes of Range."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from FileServer import Content, View, requested  # noqa: E402

CASES = [
    (None, 10, None), ("", 10, None), ("bytes=0-", 10, (0, 10)), ("bytes=0-0", 10, (0, 1)), ("bytes=3-5", 10, (3, 6)),
    ("bytes=3-50", 10, (3, 10)), ("bytes=9-", 10, (9, 10)), ("bytes=10-", 10, ()), ("bytes=10-12", 10, ()),
    ("bytes=-3", 10, (7, 10)), ("bytes=-30", 10, (0, 10)), ("bytes=-0", 10, ()), ("bytes=5-3", 10, None),
    ("bytes=-", 10, None), ("bytes=0-1,3-4", 10, None), ("items=0-1", 10, None), ("bytes=0-", 0, ()),
]

for field, length, expected in CASES:
    got = requested(field, length)
    assert got == expected, (field, length, got, expected)
numbers = Content(10, lambda begin, end: bytes(range(begin, end)))
assert numbers[2:4] == b"\2\3" and numbers[8:20] == b"\10\11" and numbers[:] == bytes(range(10)) and len(numbers) == 10
assert View(numbers, 3, 8)[1:3] == b"\4\5" and len(View(numbers, 3, 8)) == 5 and View(numbers, 3, 8)[4:9] == b"\7"
print(f"{len(CASES)} forms of Range")
