#!/usr/bin/env python3
"""Mirrors a model of 40 files from the replica of a hub, again and again, with everything that goes wrong at real hubs:
kills, connections that fall silent, links that expire, and a quota.

    Benchmarks/hub.py [--segdl PATH] [--runs N] [--mib TOTAL] [--seed SEED]

A run is killed up to three times (SIGKILL), continued to its end, and repeated. It is wrong if a file differs from
the hub's, or if the repetition fetches one. A hang is a run that ends more than 10 s after its cap on the rate lets
it. "Sent twice" is what the hub's servers wrote into their sockets beyond the length of the files: in runs without a
kill, and for each kill, because what is in the buffers of the sockets is lost with the process. A refusal (429) is
unwarned if it comes within a quarter of a second of the first answer that a process gets: nothing can have told it of
the quota before.
"""

import argparse
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "Tests/HubServer"))
from content import content  # noqa: E402

COMMIT = "0123456789abcdef0123456789abcdef01234567"
LARGE = 100_000
HANG, LONGEST = 10, 300  # seconds
RATE = 40 << 20
QUOTA, WINDOW = 60, 4


def files(chance, total):
    """The files of a model: small ones in Git, and large ones in the store."""
    named = {f"config-{n}.json": {"text": json.dumps({"n": n, "x": "y" * chance.randrange(50_000)})} for n in range(10)}
    # Few files have most of the bytes.
    shares = [chance.paretovariate(0.8) for _ in range(30)]
    for n, share in enumerate(shares):
        size = max(LARGE, int(total * share / sum(shares)))
        named[f"weights/model-{n:05}.safetensors"] = {"seed": chance.randrange(1 << 30), "size": size}
    return named


class Replica:
    def __init__(self, home, config):
        self.config = home / "hub.json"
        self.config.write_text(json.dumps(config))
        self.process = subprocess.Popen([sys.executable, ROOT / "Tests/HubServer/server.py", self.config], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline().split()[1])

    def end(self):
        """Ends it. Returns its requests, and the bytes that its servers wrote for files."""
        self.process.stdin.close()
        self.process.wait()
        log = pathlib.Path(f"{self.config}.log").read_text().splitlines()
        return [json.loads(line) for line in log], int(pathlib.Path(f"{self.config}.sent").read_text())


def mirror(segdl, replica, place, killed_after=None):
    """Runs the command. Returns its status, its last words, and its seconds."""
    home = place.parent
    names = {**os.environ, "HF_ENDPOINT": f"http://127.0.0.1:{replica.port}", "HF_TOKEN": "", "HF_HOME": str(home)}
    command = [segdl, "mirror", "--limit-rate", str(RATE), "--progress", "none", "hf://org/model", place]
    began = time.monotonic()
    with open(home / "errors", "w") as errors:
        process = subprocess.Popen(command, env=names, stdout=subprocess.DEVNULL, stderr=errors,
                                   stdin=subprocess.DEVNULL)
    try:
        process.wait(killed_after or LONGEST)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
    return process.returncode, (home / "errors").read_text()[-300:], time.monotonic() - began


def run(segdl, chance, total):
    listed = files(chance, total)
    kills = chance.choice([0, 0, 1, 2, 3])
    config = {
        "repositories": {"models/org/model": {"commit": COMMIT, "files": listed}}, "large": LARGE, "page": 15,
        "expiry": chance.choice([1, 2, 3600]), "silent": 20, "quota": QUOTA, "window": WINDOW, "buffer": 1 << 16,
    }
    wrong, problems, starts = [], [], []
    with tempfile.TemporaryDirectory(prefix="segdl-hub-") as directory:
        home = pathlib.Path(directory)
        replica, place = Replica(home, config), home / "copy"
        for _ in range(kills):
            starts.append(time.monotonic())
            mirror(segdl, replica, place, killed_after=chance.uniform(0.1, total / RATE))
        starts.append(time.monotonic())
        status, errors, seconds = mirror(segdl, replica, place)
        if status != 0:
            problems.append(f"status {status}: {errors}")
        answers = len(pathlib.Path(f"{replica.config}.log").read_text().splitlines())
        starts.append(time.monotonic())
        again = mirror(segdl, replica, place)[0]
        length = 0
        for name, file in listed.items():
            wanted, path = content(file), place / name
            length += len(wanted)
            if not path.exists() or path.read_bytes() != wanted:
                wrong.append(name)
        requests, sent = replica.end()
    fetched = [one for one in requests[answers:] if "/api/" not in one["target"]]
    if again != 0 or fetched:
        problems.append(f"the repetition: status {again}, {len(fetched)} files")
    firsts = [min((one["at"] for one in requests if one["at"] > start), default=start) for start in starts]
    refused = [one["at"] for one in requests if one["status"] == 429]
    unwarned = sum(any(first <= at <= first + 0.25 for first in firsts) for at in refused)
    return {
        "kills": kills, "wrong": wrong, "problems": problems, "seconds": round(seconds, 2),
        "late": round(seconds - length / RATE, 2), "unwarned": unwarned, "refused": len(refused) - unwarned,
        "silent": sum(one["silent"] for one in requests), "expired": sum(one["status"] == 403 for one in requests),
        "length": length, "twice": sent - length,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segdl", type=pathlib.Path, default=ROOT / ".build/release/segdl")
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--mib", type=int, default=200, help="the size of the model")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    results = []
    for number in range(asked.runs):
        found = run(asked.segdl.resolve(), random.Random(f"{asked.seed} {number}"), asked.mib << 20)
        results.append(found)
        print(json.dumps({"run": number, **found}), flush=True)
    calm = [one for one in results if not one["kills"]]
    killed = [one for one in results if one["kills"]]

    def share(some):
        return 100 * sum(one["twice"] for one in some) / max(1, sum(one["length"] for one in some))

    kills = sum(one["kills"] for one in killed)
    hangs = [one for one in results if one["late"] > HANG]

    def total(name):
        return sum(one[name] for one in results)

    print(f"{len(results)} runs, {kills} kills, {total('silent')} silent connections, {total('expired')} expired "
          f"links: {len(hangs)} hangs above {HANG} s (longest {max(one['late'] for one in results):.1f} s), "
          f"{sum(len(one['wrong']) for one in results)} wrong files, {total('refused')} answers 429 after a warning "
          f"and {total('unwarned')} before one, {share(calm):.2f} % sent twice without a kill, "
          f"{sum(one['twice'] for one in killed) / max(1, kills) / (1 << 20):.1f} MiB for each kill, "
          f"{sum(bool(one['problems']) for one in results)} other problems")
    sys.exit(bool(hangs) or any(one["wrong"] or one["problems"] or one["refused"] for one in results))


if __name__ == "__main__":
    main()
