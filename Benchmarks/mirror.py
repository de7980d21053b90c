#!/usr/bin/env python3
"""Mirrors a tree from nginx over loopback, with segdl and the peers: a first run, and a second without a change.

    Benchmarks/mirror.py [--segdl PATH] [--work DIRECTORY] [--files N] [--large N] [--only TOOL,...] [--plain]

Each tool gets a directory of its own; what it left is compared byte by byte after its first run. --plain leaves out
what segdl alone does (digests, syncs, the proof).
"""
import argparse
import collections
import filecmp
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Benchmarks/scenarios"))
from servers import Nginx  # noqa: E402

PER_DIRECTORY = 200
LARGE = 64 << 20


def make_tree(root, files, large):
    """Small files of 1 to 8 KB in directories of 200, and some of 64 MiB."""
    dice = random.Random(6)
    for number in range(files):
        directory = root / f"d{number // PER_DIRECTORY:03}"
        directory.mkdir(parents=True, exist_ok=True)
        (directory / f"f{number}").write_bytes(dice.randbytes(dice.randrange(1000, 8000)))
    for number in range(large):
        (root / "large").mkdir(parents=True, exist_ok=True)
        (root / f"large/l{number}").write_bytes(dice.randbytes(LARGE))
    # A server's tag of a file that has just changed is a weak one.
    for path in root.rglob("*"):
        os.utime(path, (1_700_000_000, 1_700_000_000))


def commands(segdl, url, root, work, plain):
    """For each tool its command, and where its tree lies below its directory."""
    listing = work / "aria2.txt"
    with open(listing, "w") as lines:
        for path in sorted(path for path in root.rglob("*") if path.is_file()):
            name = path.relative_to(root)
            lines.write(f"{url}{name}\n out={name}\n")
    options = ["--durability", "process", "--no-proof"] if plain else []
    # The directory comes last.
    return {
        "segdl mirror": [segdl, "mirror", "-q", "-j", "16", "--max-connections-per-host", "16", *options, url],
        "wget2 -m": ["wget2", "-q", "-m", "-np", "-nH", "--max-threads=16", "--robots=off", "--reject=index.html",
                     url, "-P"],
        "rclone copy": ["rclone", "copy", "-q", "--transfers", "16", "--checkers", "16", "--http-url", url, ":http:"],
        "aria2c -i": ["aria2c", "--no-conf", "-q", "-j16", "-x1", "-s1", "--file-allocation=none",
                      "--conditional-get=true", "--remote-time=true", "--allow-overwrite=true",
                      "--auto-save-interval=0", "-i", str(listing), "-d"],
    }


def run(command, directory, nginx, timed):
    nginx.begin()
    os.sync()
    # From a small launcher: the memory of the process that forked would count as the tool's.
    process = subprocess.run(
        ["sh", "-c", 'exec "$0" "$@" 3>report', timed, *command], check=False, cwd=directory.parent / "home",
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        env={"PATH": os.environ["PATH"], "HOME": str(directory.parent / "home"), "LC_ALL": "C.UTF-8"})
    nginx.settle()
    with open(f"{nginx.home}/access.log") as log:
        log.seek(nginx.logged)
        statuses = collections.Counter(line.split()[0] for line in log)
    status, wall, user, system, peak = (directory.parent / "home/report").read_text().split()
    if int(status):
        print(f"{command[0]}: exit status {status}: {process.stderr.decode()[-300:]}", file=sys.stderr)
    return float(wall), float(user) + float(system), int(peak) / 1024, statuses


def differs(root, copy):
    for path in root.rglob("*"):
        name = path.relative_to(root)
        if path.is_file() and not ((copy / name).is_file() and filecmp.cmp(path, copy / name, shallow=False)):
            return name
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segdl", default=str(ROOT / ".build/release/segdl"))
    parser.add_argument("--work", help="where the trees go, some GiB for each tool")
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--large", type=int, default=50)
    parser.add_argument("--only", help="tools, by the first words of their names")
    parser.add_argument("--plain", action="store_true")
    asked = parser.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(prefix="segdl-mirror-", dir=asked.work))
    root = work / "tree"
    nginx = None
    try:
        make_tree(root, asked.files, asked.large)
        (work / "home").mkdir()
        timed = str(work / "timed")
        subprocess.run(["cc", "-O2", "-o", timed, str(ROOT / "Benchmarks/scenarios/timed.c")], check=True)
        nginx = Nginx(str(work / "nginx"), str(root), "autoindex on;")
        print("| tool | run | wall s | CPU s | peak MiB | answers |\n|---|---|---|---|---|---|")
        for name, command in commands(asked.segdl, nginx.url(""), root, work, asked.plain).items():
            if asked.only and not any(name.startswith(only) for only in asked.only.split(",")):
                continue
            if not (os.path.exists(command[0]) or shutil.which(command[0])):
                print(f"{command[0]} is not installed", file=sys.stderr)
                continue
            copy = work / name.replace(" ", "-")
            copy.mkdir()
            for number in ("first", "second"):
                wall, cpu, peak, statuses = run([*command, str(copy)], copy, nginx, timed)
                answers = ", ".join(f"{count} × {status}" for status, count in sorted(statuses.items()))
                print(f"| `{name}` | {number} | {wall:.1f} | {cpu:.1f} | {peak:.0f} | {answers} |", flush=True)
                if wrong := differs(root, copy):
                    print(f"{name}: {wrong} differs", file=sys.stderr)
    finally:
        if nginx:
            nginx.stop()
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
