"""The recordings: each types lines of shell into a terminal. The server gives each connection 3 MiB a second."""

import hashlib
import random
import re

ADDRESS = "http://files.example"
MIB = 1 << 20


def half(text):
    """Whether the first bar on the screen is near the middle."""
    percent = re.search(r"(\d+)%", text)
    return percent and int(percent[1]) >= 45


def done(text):
    return "2/2 done" in text


def resume(shell):
    """Eight connections, a kill by SIGKILL, and the rest of the same file"""
    fetch = f"segdl -s 8 {ADDRESS}/disk.iso"
    shell.run(fetch, when=half)
    shell.comment("that was kill -9; the same command again:")
    shell.run(fetch)
    shell.run("sha256sum -c disk.sha256")


def mirror(shell):
    """A directory of a web server as a copy with digests, and the second run, which fetches only changes"""
    shell.run(f"segdl mirror {ADDRESS}/pub/ copy")
    shell.serve("pub/notes.txt", b"newer notes\n")
    shell.comment("one file has changed on the server since:")
    shell.run(f"segdl mirror {ADDRESS}/pub/ copy")
    shell.run("cd copy && sha256sum -c SHA256SUMS")


def queue(shell):
    """Downloads in a queue that survives its process, as its list shows them"""
    shell.run(f"segdl queue add {ADDRESS}/disk.iso {ADDRESS}/pub/a.iso")
    shell.run("segdl queue start", when=half, key=b"q")
    shell.comment("the queue is in a database; it goes on from there:")
    shell.run("segdl queue start", when=done, key=b"q")


# Each with the columns and rows of its terminal; the first picture of all is read on telephones, too.
SCENES = {resume: (64, 12), mirror: (72, 12), queue: (88, 11)}


def files():
    """The server's files, by their paths, and those that are there for the lines."""
    made = random.Random(7)
    sizes = {"disk.iso": 96, "pub/a.iso": 9, "pub/b.iso": 6, "pub/old/c.iso": 2}
    served = {name: made.randbytes(size * MIB) for name, size in sizes.items()} | {"pub/notes.txt": b"notes\n"}
    sums = f"{hashlib.sha256(served['disk.iso']).hexdigest()}  disk.iso\n".encode()
    return served, {"disk.sha256": sums}
