#!/usr/bin/env python3
"""Records the terminal's pictures of the documentation, with nginx on loopback.

    docs/pictures/record.py SEGDL DIRECTORY [SCENE ...]   writes SCENE.svg
    docs/pictures/record.py --check SEGDL DIRECTORY       fails if a picture there ends with other words than now

Figures, dates and the maps of bytes differ from run to run; all else has to be the same.
"""

import argparse
import html
import pathlib
import re
import signal
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Switching"))

from server import Server, write  # noqa: E402

import scenes  # noqa: E402
import svg  # noqa: E402
from terminal import PROMPT, Terminal  # noqa: E402


class Shell:
    """A terminal in a directory of its own, and the server that its lines reach under the name of the pictures."""

    def __init__(self, server, columns, rows):
        self.terminal = Terminal(columns, rows)
        self.server = server
        self.directory = pathlib.Path(tempfile.mkdtemp(dir=server.home))
        served, present = scenes.files()
        write(server.home / "slow", served)
        write(self.directory, present)
        state = str(self.directory / ".state")
        # For a proxy the name of the server is part of the request.
        proxy = server.addresses["http://proxy.example:3128"]
        self.environment = {**server.environment, "http_proxy": proxy, "XDG_STATE_HOME": state}
        self.statuses = []

    def serve(self, name, content):
        write(self.server.home / "slow", {name: content})

    def comment(self, text):
        self.terminal.wait(0.8)
        self.terminal.type(f"# {text}")
        self.terminal.show(PROMPT)

    def run(self, line, when=None, key=None):
        self.terminal.wait(0.4)
        status = self.terminal.run(line, self.environment, self.directory, when, key)
        if status != (-9 if when and not key else 0):
            sys.exit(f"{line} ended with {status}:\n{self.terminal.text()}")


def recorded(server, scene, size):
    shell = Shell(server, *size)
    scene(shell)
    return shell.terminal


def words(text):
    """A screen without what differs from run to run: figures and maps, and where a long line is broken for them."""
    text = re.sub(r"[█▓▒░►·\s]+", "", text)
    return re.sub(r"\d[\d.,:]*([KMG]?i?B\b)?", "0", text)


def described(path):
    match = re.search(r"<desc>(.*?)</desc>", path.read_text(encoding="utf-8"), re.DOTALL)
    return html.unescape(match[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, and compare")
    parser.add_argument("segdl", type=pathlib.Path)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("scene", nargs="*", help="only these")
    asked = parser.parse_args()
    faults = 0
    # The end by a signal is to stop nginx, too.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    with tempfile.TemporaryDirectory(prefix="segdl-pictures-") as name:
        server = Server(pathlib.Path(name), asked.segdl.resolve())
        try:
            for scene, size in scenes.SCENES.items():
                if asked.scene and scene.__name__ not in asked.scene:
                    continue
                terminal, path = recorded(server, scene, size), asked.directory / f"{scene.__name__}.svg"
                if not asked.check:
                    path.write_text(svg.picture(terminal, scene.__doc__), encoding="utf-8")
                elif words(described(path)) != words(terminal.text()):
                    faults += 1
                    print(f"{path} shows another end than the program now:\n{terminal.text()}")
        finally:
            server.stop()
    if faults:
        sys.exit("Scripts/pictures takes the pictures again.")


if __name__ == "__main__":
    main()
