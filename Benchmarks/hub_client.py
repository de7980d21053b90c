#!/usr/bin/env python3
"""Fetches a model of 40 files from the replica of a hub by `segdl mirror` and by `hf download`, in turn, each with its
defaults, over a line that delays each answer and limits each connection.

    Benchmarks/hub_client.py --python VENV/bin/python [--segdl PATH] [--runs N] [--mib TOTAL] [--seed SEED]
                             [--round-trip SECONDS] [--rate BYTES]

PYTHON has huggingface_hub (`Scripts/install-hub`). A new connection waits for a round trip, and each answer for another
one. Both tools must end with the hub's files.
"""

import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

from hub import COMMIT, LARGE, ROOT, Replica, files

sys.path.append(str(ROOT / "Tests/HubServer"))
from content import content  # noqa: E402

CLIENT = """
import sys
from huggingface_hub import snapshot_download
snapshot_download("org/model", local_dir=sys.argv[1])
"""


def timed(command, names, place, listed):
    began = time.monotonic()
    end = subprocess.run([*command, place], env={**os.environ, **names}, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - began
    if end.returncode:
        sys.exit(f"{command[0]}: status {end.returncode}: {end.stderr[-2000:]}")
    for name, wanted in listed.items():
        if (place / name).read_bytes() != wanted:
            sys.exit(f"{command[0]}: {name} is wrong")
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segdl", type=pathlib.Path, default=ROOT / ".build/release/segdl")
    parser.add_argument("--python", required=True, help="with huggingface_hub")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--mib", type=int, default=100, help="the size of the model")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--round-trip", type=float, default=0.05)
    parser.add_argument("--rate", type=int, default=2_000_000)
    asked = parser.parse_args()
    described = files(random.Random(f"{asked.seed}"), asked.mib << 20)
    listed = {name: content(file) for name, file in described.items()}
    total = sum(map(len, listed.values()))
    largest = max(map(len, listed.values()))
    print(f"{len(listed)} files, {total} bytes, the largest {largest}; {asked.round_trip * 1000:g} ms, "
          f"{asked.rate} bytes per second and connection", flush=True)
    times = {"hf": [], "segdl": []}
    with tempfile.TemporaryDirectory(prefix="segdl-hub-") as directory:
        home = pathlib.Path(directory)
        replica = Replica(home, {
            "repositories": {"models/org/model": {"commit": COMMIT, "files": described}}, "large": LARGE,
            "roundTrip": asked.round_trip, "rate": asked.rate,
        })
        for number in range(asked.runs):
            names = {"HF_ENDPOINT": f"http://127.0.0.1:{replica.port}", "HF_TOKEN": "",
                     "HF_HOME": str(home / f"h{number}"), "HF_HUB_DISABLE_TELEMETRY": "1"}
            commands = {"hf": [asked.python, "-c", CLIENT],
                        "segdl": [asked.segdl.resolve(), "mirror", "--progress", "none", "hf://org/model"]}
            for tool in sorted(commands, reverse=number % 2 == 1):
                times[tool].append(timed(commands[tool], names, home / f"{tool}{number}", listed))
                print(json.dumps({"run": number, "tool": tool, "seconds": round(times[tool][-1], 2)}), flush=True)
        replica.end()
    middle = {tool: statistics.median(found) for tool, found in times.items()}
    print(f"medians of {asked.runs}: segdl {middle['segdl']:.2f} s, hf {middle['hf']:.2f} s, "
          f"ratio {middle['segdl'] / middle['hf']:.2f}")


if __name__ == "__main__":
    main()
