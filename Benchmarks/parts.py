#!/usr/bin/env python3
"""Prints where the CPU time of small files goes, in microseconds for each file: the engine, the disk, the rest of
segdl, and the start, which does not depend on the number of files.

    Benchmarks/parts.py [--segdl PATH] [--files N] [--scheme http|https] [ARGUMENT…]

The arguments are those of `segdl fetch`, by default `-j 16 --durability process`. The files have 1 to 64 KiB and come
from nginx over loopback. `perf record` samples the stacks. All time of the engine's threads is the engine's, including
the kernel's for its sockets. Of the other threads, what is below a call that stores files is the disk's.
"""

import argparse
import collections
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "Benchmarks/scenarios"))
from content import File  # noqa: E402
from servers import Authority, Nginx  # noqa: E402

FREQUENCY = 4000  # samples a second
ENGINE = re.compile(r"EngineThread|curl_multi|CurlLoop")
START = re.compile(r"_dl_|dl_main|ArgumentParser|OPENSSL_init|swift_.*[mM]etadata.*[rR]egist")
DISK = re.compile(r"BatchQueue|CommitQueue|FastPathStore|BlockingThreads|PartFile|Finalizer|SystemCalls|path_openat")
# ext4 without a journal inspects every inode that was freed within the last minutes, of whatever program.
FOREIGN = "recently_deleted"
BUDGET = {"engine": 100, "disk": 70, "rest": 50, "start": None}


def samples(data):
    """Yields the thread and the stack of each sample, innermost function first."""
    text = subprocess.run(["perf", "script", "-i", data, "-F", "tid,ip,sym"], text=True, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    for sample in text.split("\n\n"):
        thread, *frames = sample.strip().splitlines() or [""]
        if thread:
            yield thread.strip(), [frame.split(None, 1)[-1] for frame in frames]


def parts(data):
    found = list(samples(data))
    engines = {thread for thread, stack in found if any("EngineThread" in name for name in stack)}
    counted, hottest = collections.Counter(), collections.defaultdict(collections.Counter)
    for thread, stack in found:
        if FOREIGN in stack:
            part = FOREIGN
        elif thread in engines:
            part = "engine"
        elif any(DISK.search(name) for name in stack):
            part = "disk"
        elif any(START.search(name) for name in stack):
            part = "start"
        else:
            part = "rest"
        counted[part] += 1
        hottest[part][stack[0] if stack else "?"] += 1
    return counted, hottest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segdl", type=pathlib.Path, default=ROOT / ".build/release/segdl")
    parser.add_argument("--files", type=int, default=5000)
    parser.add_argument("--scheme", choices=["http", "https"], default="http")
    asked, arguments = parser.parse_known_args()
    arguments = arguments or ["-j", "16", "--durability", "process"]
    with tempfile.TemporaryDirectory(prefix="segdl-parts-") as home:
        os.mkdir(f"{home}/www")
        chance = random.Random(1)
        files = [File(f"{home}/www", f"small-{n:06}", chance.randrange(1, 64 << 10)) for n in range(asked.files)]
        authority = Authority(home) if asked.scheme == "https" else None
        server = Nginx(f"{home}/nginx", f"{home}/www", authority=authority, http2=asked.scheme == "https")
        if authority:
            arguments += ["--ca-certificate", authority.file]
        try:
            listed = f"{home}/urls"
            pathlib.Path(listed).write_text("".join(f"{server.url(file.name)}\n" for file in files))
            command = [asked.segdl, "fetch", *arguments, "--progress", "none", "-d", f"{home}/copy", "-i", listed]
            subprocess.run(["perf", "record", "-q", "-e", "task-clock", "-F", str(FREQUENCY), "-g",
                            "-o", f"{home}/perf", *command], check=True, stdout=subprocess.DEVNULL)
        finally:
            server.stop()
        wrong = [file.name for file in files if file.differs(f"{home}/copy/{file.name}")]
        counted, hottest = parts(f"{home}/perf")
    for part, bar in BUDGET.items():
        each = counted[part] / FREQUENCY / asked.files * 1e6
        names = ", ".join(f"{name} {100 * count / sum(hottest[part].values()):.0f} %"
                          for name, count in hottest[part].most_common(4))
        print(f"{part:7} {each:6.0f} µs a file{f' (budget {bar})' if bar else '':13} {names}")
    each, foreign = (number / FREQUENCY / asked.files * 1e6 for number in (counted.total(), counted[FOREIGN]))
    print(f"{'all':7} {each:6.0f} µs a file, of which ext4's inspection of files removed earlier {foreign:.0f}")
    sys.exit(f"{len(wrong)} files are wrong" if wrong else 0)


if __name__ == "__main__":
    main()
