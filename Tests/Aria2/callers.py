#!/usr/bin/env python3
"""Runs programs that call aria2c, with aria2c and with segdl in its place, and compares what they get.

It needs aria2c in PATH, and yt-dlp for the Python that runs it. If one is missing, it exits with 77.
"""

import argparse
import importlib.util
import os
import shutil
import signal
import sys
import tempfile

import cases
import content
from server import Server
from tool import Tool

MISSING = 77


def missing():
    names = [] if shutil.which("aria2c") else ["aria2c"]
    return names if importlib.util.find_spec("yt_dlp") else [*names, "the Python package yt-dlp"]


def outcome(function, name, path, directory, server):
    server.reset()
    place = os.path.join(directory, function.__name__, name)
    return function(Tool(name, path, place, server))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--segdl", required=True, help="the program; aria2c itself shows that the cases hold")
    parser.add_argument("--only", help="a part of the names of the cases to run")
    options = parser.parse_args()
    # A run in the background may ignore it, and the programs would as well.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if missing():
        print(f"left out: {' and '.join(missing())} not found")
        return MISSING
    failures = 0
    server = Server(content.files())
    with tempfile.TemporaryDirectory() as directory:
        link = os.path.join(directory, "aria2c")
        os.symlink(os.path.abspath(options.segdl), link)
        for function in cases.ALL:
            if options.only and options.only not in function.__name__:
                continue
            theirs = outcome(function, "aria2c", shutil.which("aria2c"), directory, server)
            ours = outcome(function, "segdl", link, directory, server)
            failures += theirs != ours
            print("ok  " if theirs == ours else "FAIL", function.__name__)
            if theirs != ours:
                print(f"     aria2c: {theirs}\n     segdl:  {ours}")
    print(f"{failures} differences")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
