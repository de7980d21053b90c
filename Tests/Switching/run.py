#!/usr/bin/env python3
"""Runs the lines of the documentation against nginx on loopback, and checks their statuses and files.

    Tests/Switching/run.py [--peers] SEGDL [PART ...]

These are the lines of README.md, docs, the help and the man pages that begin with the command. Each runs by itself in a
directory of its own. In docs/switching.md the comment above it is the line of another tool: with --peers that runs as
well, if the tool is there, and has to make the same files.
"""

import argparse
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request

import lines
from expected import found, prepared, wanted
from server import Server, write
from situations import situation

OLD = 1_000_000_000  # seconds: the date of a file that the server has in a newer version
LONGEST = 120  # seconds


class Place:
    """A directory with the files that a line needs, and what is there after it."""

    def __init__(self, server, directory, line):
        self.server, self.directory, self.line = server, directory, line
        self.situation = situation(line)
        state = tempfile.mkdtemp(dir=server.home)
        self.environment = {**server.environment, "XDG_STATE_HOME": state, **self.situation.environment}
        files = {name: server.files[content] for name, content in self.situation.present.items()}
        if self.situation.made is None:
            files = prepared(shlex.split(line), server.files)
        write(directory, {**server.inputs, **files})
        for path in directory.iterdir():
            os.utime(path, (OLD, OLD))

    def shell(self, line):
        return subprocess.run(
            ["sh", "-c", self.server.local(line)], check=False, cwd=self.directory, env=self.environment,
            capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=LONGEST)

    def prepare(self):
        for line in self.situation.before:
            done = self.shell(line)
            if done.returncode:
                raise SystemExit(f"{line}, before {self.line}, ends with {done.returncode}: {done.stderr}")

    def fault(self, is_ours):
        """What is wrong with the files, or None."""
        made, files = found(self.directory, self.server.inputs), self.server.files
        if self.situation.made is None:
            right = wanted(self.line, files)
        else:
            right = {path: name and files[name] for path, name in self.situation.made.items()}
        may_be = {path: files[name] for path, name in self.situation.may_be.items()}
        missing = [path for path, content in right.items() if path not in made or content not in (made[path], None)]
        if missing:
            return f"not there, or wrong: {', '.join(missing)}; there are {', '.join(made) or 'no files'}"
        more = [path for path in made.keys() - right.keys() if made[path] != may_be.get(path)]
        return f"too much: {', '.join(sorted(more))}" if is_ours and more else None


def fault(server, line, run, is_ours=True):
    """What is wrong after `run`, or None; `line` is ours, and tells which files should be there."""
    with tempfile.TemporaryDirectory(dir=server.home) as name:
        place = Place(server, pathlib.Path(name), line)
        try:
            place.prepare()
            if place.situation.is_served:
                return served(place)
            done = place.shell(run)
        except subprocess.TimeoutExpired:
            return f"not done after {LONGEST} seconds"
        # Some tools end with 1 where they leave a file alone.
        if is_ours and done.returncode:
            return f"status {done.returncode}: {done.stdout.strip()[-900:]} {done.stderr.strip()[-300:]}"
        return place.fault(is_ours)


def served(place):
    """The same for a daemon: it prints where it is, answers there, and ends with 0."""
    # Its usual port may be another daemon's.
    environment = {**place.environment, "SEGDL_OPTIONS": "--listen 127.0.0.1:0"}
    process = subprocess.Popen(
        ["sh", "-c", f"exec {place.server.local(place.line)}"], cwd=place.directory, env=environment,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    limit = signal.alarm(LONGEST)
    try:
        for line in process.stdout:
            if match := re.search(r"http://\S+?(?=/?[#\s])", line):
                urllib.request.urlopen(f"{match[0]}/healthz").close()
                process.terminate()
        status = process.wait()
        return None if status in (0, 128 + signal.SIGTERM) else f"status {status}"
    finally:
        signal.alarm(limit)
        process.kill()
        process.wait()


def faults(server, chosen, with_peers):
    yield from lines.unknown()
    for page, theirs, ours in chosen:
        both = [(ours, True)]
        if with_peers and theirs and shutil.which(theirs.split()[0]):
            both.append((theirs, False))
        for line, is_ours in both:
            if reason := fault(server, ours, line, is_ours):
                yield f"{page}: {line}\n    {reason}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers", action="store_true", help="also run the lines of other tools")
    parser.add_argument("segdl", type=pathlib.Path, help="the command")
    parser.add_argument("part", nargs="*", help="only lines that contain one of these")
    asked = parser.parse_args()
    shown = [*lines.of_pages(), *lines.of_help(asked.segdl.resolve())]
    # A line that several places show is run once.
    once = {(theirs, ours): (page, theirs, ours) for page, theirs, ours in reversed(shown) if not lines.reason(ours)}
    chosen = [one for one in reversed(once.values()) if any(part in one[2] for part in asked.part or [""])]
    if not chosen:
        sys.exit("The documentation has no such lines.")
    # The end by a signal is to stop nginx, too.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    with tempfile.TemporaryDirectory(prefix="segdl-switching-") as name:
        server = Server(pathlib.Path(name), asked.segdl.resolve())
        try:
            failed = list(faults(server, chosen, asked.peers))
        finally:
            server.stop()
    print(*failed, f"{len(chosen)} lines, {len(failed)} faults", sep="\n")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
