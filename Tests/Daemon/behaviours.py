"""A server of files on loopback, whose paths say how it behaves.

    /file/SIZE/NAME           a file with ranges
    /slow/RATE/SIZE/NAME      the same, RATE bytes per second on each connection
    /flood/SIZE/NAME          zeros, as fast as they go
    /zeros/SIZE/NAME          zeros with the length and the ranges of a file
    /late/NAME                a connection that never gets an answer
    /status/CODE/NAME         nothing but a status
    /to/HOST:PORT/PATH        a redirect to another server
    /field/NAME/VALUE         ten bytes with a field of the head, both percent-encoded
"""

import functools
import pathlib
import sys
import time
import urllib.parse

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from FileServer import Content, FileHandler, FileServer  # noqa: E402

STEP = 0.02  # seconds between two parts of a slow body


def content(size, begin=0, end=None):
    """Bytes `begin` up to `end` of the file of that size: the number of each 8 bytes, so that no two places agree."""
    end = size if end is None else end
    first, last = begin // 8, (end + 7) // 8
    numbers = b"".join((number ^ size << 40).to_bytes(8, "little") for number in range(first, last))
    return numbers[begin - first * 8:end - first * 8]


def zeros(begin, end):
    return bytes(end - begin)


class Handler(FileHandler):
    rate = None

    def answer(self, path):
        try:
            self.answer_parts(path.split("/")[1:])
        except (ValueError, IndexError):
            self.send_answer(404)

    def answer_parts(self, parts):
        self.rate = None
        match parts[0]:
            case "file":
                self.send_file(int(parts[1]))
            case "zeros":
                self.send_file(int(parts[1]), zeros)
            case "slow":
                self.rate = int(parts[1])
                self.send_file(int(parts[2]))
            case "flood":
                self.flood(int(parts[1]))
            case "late":
                self.server.is_closing.wait()
                self.close_connection = True
            case "status":
                self.send_answer(int(parts[1]))
            case "to":
                self.send_answer(302, fields={"Location": f"http://{'/'.join(parts[1:])}"})
            case "field":
                name, value = (urllib.parse.unquote(part) for part in parts[1:3])
                self.send_answer(200, content(10), {name: value})
            case _:
                self.send_answer(404)

    def send_file(self, size, make=None):
        self.send_content(Content(size, make or functools.partial(content, size)), {"ETag": f'"{size}"'})

    def send_body(self, body):
        step = self.piece if self.rate is None else max(1, int(self.rate * STEP))
        for begin in range(0, len(body), step):
            if self.server.is_closing.is_set():
                self.close_connection = True
                return
            self.wfile.write(body[begin:begin + step])
            if self.rate is not None:
                time.sleep(STEP)

    def flood(self, size):
        self.send_head(200, size)
        block = bytes(1 << 20)
        while size > 0 and not self.server.is_closing.is_set():
            size -= self.connection.send(block[:size])
        self.close_connection = size > 0


class BehavingServer(FileServer):
    def __init__(self):
        super().__init__(Handler)
