#!/usr/bin/env python3
"""Runs the lines of docs/switching.md against nginx on loopback, and checks their statuses and files.

    Tests/Switching/run.py [--peers] SEGDL [PART ...]

Each line of a block marked segdl runs by itself in a directory of its own. The comment above it is the line of
another tool: with --peers that runs as well, if the tool is there, and has to make the same files.
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

from expected import found, prepared, wanted
from server import Server, write

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/switching.md"
OLD = 1_000_000_000  # seconds: the date of a file that the server has in a newer version
LONGEST = 120  # seconds


def pairs(page):
    """Yields (line of the other tool, our line)."""
    for block in re.findall(r"^```segdl\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        theirs = ""
        for line in block.splitlines():
            if line.startswith("# "):
                theirs = line[2:]
            elif line:
                yield theirs, line


def fault(server, line, run, is_ours=True):
    """What is wrong after `run`, or None; `line` is ours, and tells which files should be there."""
    with tempfile.TemporaryDirectory(dir=server.home) as name:
        directory = pathlib.Path(name)
        write(directory, {**server.inputs, **prepared(shlex.split(line), server.files)})
        for path in directory.iterdir():
            os.utime(path, (OLD, OLD))
        try:
            done = subprocess.run(
                ["sh", "-c", server.local(run)], check=False, cwd=directory, env=server.environment,
                capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=LONGEST)
        except subprocess.TimeoutExpired:
            return f"not done after {LONGEST} seconds"
        made, right = found(directory, server.inputs), wanted(line, server.files)
        # Some tools end with 1 where they leave a file alone.
        if is_ours and done.returncode:
            return f"status {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}"
        if missing := [path for path, content in right.items() if made.get(path) != content]:
            return f"not there, or wrong: {', '.join(missing)}; there are {', '.join(made) or 'no files'}"
        if is_ours and (more := made.keys() - right.keys()):
            return f"too much: {', '.join(sorted(more))}"
    return None


def faults(server, chosen, with_peers):
    for theirs, ours in chosen:
        lines = [(ours, True)]
        if with_peers and theirs and shutil.which(theirs.split()[0]):
            lines.append((theirs, False))
        for line, is_ours in lines:
            if reason := fault(server, ours, line, is_ours):
                yield f"{line}\n    {reason}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers", action="store_true", help="also run the lines of other tools")
    parser.add_argument("segdl", type=pathlib.Path, help="the command")
    parser.add_argument("part", nargs="*", help="only lines that contain one of these")
    asked = parser.parse_args()
    chosen = [pair for pair in pairs(PAGE.read_text()) if any(part in pair[1] for part in asked.part or [""])]
    if not chosen:
        sys.exit(f"{PAGE} has no such lines.")
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
