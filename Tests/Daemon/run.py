#!/usr/bin/env python3
"""Runs the daemon's tests: its protocol, its API, attacks on it, real clients, kills, and service managers.

    Tests/Daemon/run.py --segdl PATH [--webui PATH]

It installs nothing: what is missing is left out, with its reason. It ends with the counts of all.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
# In lanes, because slow requests in the attacks and wrong secrets of the API's checks are mostly waited for.
LANES = [["attacks"], ["openapi"],
         ["protocol", "clients", "storm", "service", "remote", "batches", "mirrors", "locations", "cuts"]]
COUNTS = re.compile(r": (\d+) passed, (\d+) failed(?:, (\d+) left out)?$", re.MULTILINE)


class Lane(threading.Thread):
    """Runs some scripts, one after the other, and adds up their counts."""

    def __init__(self, names, options):
        super().__init__()
        self.names, self.options = names, options
        self.counts, self.failed = [0, 0, 0], []

    def run(self):
        for name in self.names:
            began = time.monotonic()
            done = subprocess.run([sys.executable, HERE / f"{name}.py", *self.options[name]], check=False,
                                  capture_output=True, text=True, stdin=subprocess.DEVNULL)
            print(f"{done.stdout}{done.stderr}    {name}: {time.monotonic() - began:.0f} s", flush=True)
            found = COUNTS.findall(done.stdout)
            for numbers in found:
                self.counts = [sum(pair) for pair in zip(self.counts, (int(one or 0) for one in numbers), strict=True)]
            if done.returncode or not found:
                self.failed.append(name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segdl", type=pathlib.Path, required=True, help="the command")
    parser.add_argument("--webui", type=pathlib.Path, help="the built pages of webui-aria2")
    asked = parser.parse_args()
    program = ["--segdl", asked.segdl.resolve()]
    options = dict.fromkeys((name for lane in LANES for name in lane), program)
    options["clients"] = [*program, *(["--webui", asked.webui] if asked.webui else [])]
    lanes = [Lane(names, options) for names in LANES]
    for lane in lanes:
        lane.start()
    for lane in lanes:
        lane.join()
    passed, failed, left = (sum(column) for column in zip(*(lane.counts for lane in lanes), strict=True))
    broken = [name for lane in lanes for name in lane.failed]
    if broken:
        print(f"failed: {', '.join(broken)}")
    print(f"{passed} passed, {failed} failed{f', {left} left out' if left else ''}")
    sys.exit(bool(broken))


if __name__ == "__main__":
    main()
