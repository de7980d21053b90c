#!/usr/bin/env python3
"""Times the RPC of `segdl serve` against that of aria2c: calls as front-ends poll, with more and more downloads.

    Benchmarks/rpc.py [--segdl PATH] [--runs N] [--seconds S] [COUNT ...]

Both daemons run at once with the same paused downloads, and take turns of S seconds; each figure is the median of N
turns. The client sends one call after the other on one connection and parses nothing.
"""
import argparse
import json
import os
import pathlib
import socket
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests/Daemon"))

import rpc  # noqa: E402
from behaviours import BehavingServer  # noqa: E402
from daemons import SECRET, Aria2, Segdl, scratch  # noqa: E402

# The members that AriaNg asks for.
KEYS = ["gid", "totalLength", "completedLength", "uploadSpeed", "downloadSpeed", "connections", "numSeeders", "seeder",
        "status", "errorCode", "verifiedLength", "verifyIntegrityPending"]
CALLS = {
    "tellActive": ("aria2.tellActive", [KEYS + ["files", "bittorrent"]]),
    "tellWaiting 1000": ("aria2.tellWaiting", [0, 1000, KEYS + ["files"]]),
    "tellStopped 1000": ("aria2.tellStopped", [-1, 1000, KEYS + ["files"]]),
    "getGlobalStat": ("aria2.getGlobalStat", []),
    "tellStatus": ("aria2.tellStatus", ["{gid}"]),
}
ACTIVE = 5
BATCH = 500


class Line:
    """One connection that stays open, for calls that are bytes already."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.socket = socket.create_connection(("127.0.0.1", daemon.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def request(self, method, params):
        body = json.dumps(rpc.request(method, [f"token:{SECRET}", *params])).encode()
        head = f"POST /jsonrpc HTTP/1.1\r\nHost: 127.0.0.1:{self.daemon.port}\r\nContent-Length: {len(body)}\r\n\r\n"
        return head.encode() + body

    def call(self, request):
        """Returns the bytes of the answer's body."""
        self.socket.sendall(request)
        text = b""
        while b"\r\n\r\n" not in text:
            text += self.socket.recv(1 << 16)
        head, body = text.split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 200"), head
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        parts, rest = [body], length - len(body)
        while rest:
            part = self.socket.recv(min(rest, 1 << 20))
            assert part, "the connection has ended"
            parts.append(part)
            rest -= len(part)
        return b"".join(parts)

    def turn(self, request, seconds):
        """Returns calls per second, and CPU milliseconds of the daemon for each call."""
        begin, cpu, count = time.perf_counter(), self.daemon.cpu_seconds(), 0
        while time.perf_counter() - begin < seconds:
            self.call(request)
            count += 1
        wall = time.perf_counter() - begin
        return count / wall, (self.daemon.cpu_seconds() - cpu) / count * 1e3


def fill(line, files, count):
    """Some downloads that run without bytes, and paused ones up to `count`; returns one gid."""
    for begin in range(0, count, BATCH):
        requests = [rpc.request("aria2.addUri", [f"token:{SECRET}", [files.url(f"late/{number}.bin")],
                                                 {"pause": "false" if number < ACTIVE else "true"}], number)
                    for number in range(begin, min(count, begin + BATCH))]
        answers = rpc.post(line.daemon.port, requests, timeout=300).body
        assert all("result" in answer for answer in answers), answers[0]
    return answers[-1]["result"]


def measure(lines, files, count, asked):
    """Yields (call, {daemon: (calls per second, CPU ms)}, bytes of our answer)."""
    gids = {name: fill(line, files, count) for name, line in lines.items()}
    for label, (method, params) in CALLS.items():
        requests = {name: line.request(method, [gids[name] if one == "{gid}" else one for one in params])
                    for name, line in lines.items()}
        sizes = {name: len(line.call(requests[name])) for name, line in lines.items()}
        turns = {name: [] for name in lines}
        for _ in range(asked.runs):
            for name, line in lines.items():
                turns[name].append(line.turn(requests[name], asked.seconds))
        yield label, {name: [statistics.median(column) for column in zip(*rows, strict=True)]
                      for name, rows in turns.items()}, sizes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segdl", type=pathlib.Path, default=ROOT / ".build/release/segdl")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("counts", nargs="*", type=int, default=[10, 1_000, 10_000])
    asked = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.2f}, {os.cpu_count()} processors\n")
    columns = ["downloads", "call", "segdl calls/s", "aria2c calls/s", "ratio", "segdl CPU ms", "aria2c CPU ms",
               "ratio", "bytes"]
    print(f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|")
    for count in asked.counts:
        files = BehavingServer()
        with scratch() as home:
            daemons = [Segdl(asked.segdl.resolve(), home / "segdl"), Aria2(home / "aria2c")]
            try:
                lines = {daemon.name: Line(daemon) for daemon in daemons}
                for label, figures, sizes in measure(lines, files, count, asked):
                    (ours, cpu), (theirs, their_cpu) = figures["segdl"], figures["aria2c"]
                    of_cpu = f"{cpu / their_cpu:.2f}" if their_cpu else "–"
                    print(f"| {count} | {label} | {ours:.0f} | {theirs:.0f} | {ours / theirs:.2f} | {cpu:.3f} |"
                          f" {their_cpu:.3f} | {of_cpu} | {sizes['segdl']}, {sizes['aria2c']} |", flush=True)
                print(f"\nMemory with {count}: " + ", ".join(
                    f"{daemon.name} {daemon.memory() / (1 << 20):.0f} MiB" for daemon in daemons) + "\n", flush=True)
            finally:
                for daemon in daemons:
                    daemon.stop()
        files.stop()


if __name__ == "__main__":
    main()
