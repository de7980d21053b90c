#!/usr/bin/env python3
"""Times the queue with more and more downloads: adding, listing, restoring, and pausing all of them.

    Benchmarks/queue.py [--segdl PATH] [--runs N] [COUNT ...]

Nothing is downloaded: it is about the books. Each figure is the median of N runs; memory is the peak of the process.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile


def run(command):
    """Runs a command; returns its wall seconds, CPU seconds and peak memory in MiB."""
    begin = os.times()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    # Not communicate(): wait4 below must be the one to reap it.
    lines = sum(chunk.count(b"\n") for chunk in iter(lambda: process.stdout.read(1 << 16), b""))
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, (command, process.returncode)
    wall = os.times().elapsed - begin.elapsed
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, lines


def measure(segdl, count, runs):
    urls = "\n".join(f"http://127.0.0.1:9/directory/of/files/file-{i}.bin?token=0123456789abcdef" for i in range(count))
    figures = {}
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as directory:
            queue = ["--queue", directory + "/queue.sqlite"]
            urls_file = pathlib.Path(directory, "list.txt")
            urls_file.write_text(urls)
            steps = {
                "add": [segdl, "queue", "add", *queue, "-d", directory + "/files", "--paused", "-i", str(urls_file)],
                "list": [segdl, "queue", "list", *queue, "--json"],
                "restore": [segdl, "queue", "start", *queue, "--progress", "none"],
                "move one": [segdl, "queue", "move", *queue, str(count), "--front"],
                "cancel all": [segdl, "queue", "cancel", *queue, "all"],
            }
            for name, command in steps.items():
                *result, lines = run(command)
                if name in ("add", "list", "cancel all"):
                    assert lines == count, (name, lines)
                figures.setdefault(name, []).append(result)
    return {name: [statistics.median(column) for column in zip(*rows, strict=True)] for name, rows in figures.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--segdl", default=str(root / ".build/release/segdl"))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("counts", nargs="*", type=int, default=[1_000, 10_000, 100_000])
    arguments = parser.parse_args()
    print("| downloads | step | wall s | CPU s | CPU µs each | peak MiB |\n|---|---|---|---|---|---|")
    for count in arguments.counts:
        for name, (wall, cpu, memory) in measure(arguments.segdl, count, arguments.runs).items():
            print(f"| {count} | {name} | {wall:.2f} | {cpu:.2f} | {cpu / count * 1e6:.1f} | {memory:.0f} |", flush=True)


if __name__ == "__main__":
    main()
