#!/usr/bin/env python3
"""Keeps 10,000 downloads and 200 WebSockets on `segdl serve` while one download fills the line.

    Tests/Daemon/many.py --segdl PATH [--downloads N] [--sockets N] [--seconds N] [--aria2]

Prints the times of answers and the memory. It fails on answers and notifications that are lost, and on memory that
grows beyond a generous bound; never on time.
"""

import argparse
import pathlib
import shutil
import statistics
import sys
import threading
import time

import outcome
import rpc
from behaviours import BehavingServer
from daemons import SECRET, Aria2, Segdl, scratch, until
from outcome import holds, same
from stand import new_gid
from wsclient import WebSocket

MEGA = 1 << 20
BATCH = 500  # downloads that one request adds
GROWTH = 64 * MEGA  # bytes in the second half of the polling
EACH = 16 << 10  # bytes for each download, at most
SOCKET = 256 << 10  # bytes for each WebSocket, at most
KEYS = ["gid", "status", "totalLength", "completedLength", "downloadSpeed", "connections", "files"]
LINE = 100_000_000  # bytes per second
# As AriaNg polls: each second, from each open page.
POLLS = {"tellActive": [KEYS], "tellWaiting": [0, 1000, KEYS], "tellStopped": [-1, 1000, KEYS], "getGlobalStat": []}


class Crowd:
    def __init__(self, daemon, files, asked):
        self.daemon, self.files, self.asked = daemon, files, asked
        self.empty = daemon.memory()
        self.times, self.sockets = {name: [] for name in POLLS}, []

    def caller(self, method, *params):
        """One call on a connection of its own, because a daemon ends idle ones."""
        caller = rpc.Caller(self.daemon.port, SECRET, timeout=120)
        try:
            return caller(method, *params)
        finally:
            caller.close()

    def add(self):
        """All are added, and each has its gid."""
        gids = [new_gid() for _ in range(self.asked.downloads)]
        for begin in range(0, len(gids), BATCH):
            requests = [rpc.request("aria2.addUri", [f"token:{SECRET}", [self.files.url(f"late/{gid}")],
                                                     {"gid": gid, "pause": "true", "out": gid}], gid)
                        for gid in gids[begin:begin + BATCH]]
            answers = rpc.post(self.daemon.port, requests, timeout=120).body
            same([answer.get("result") for answer in answers], gids[begin:begin + BATCH], "answers of a batch")
        waiting = self.caller("tellWaiting", 0, 10**6, ["gid"])
        same([one["gid"] for one in waiting], gids, "downloads in the queue")
        self.full = self.daemon.memory()
        growth = self.full - self.empty
        print(f"    {len(gids)} downloads: {growth >> 20} MiB more, {growth / len(gids) / 1024:.1f} KiB each")
        holds(growth < 32 * MEGA + EACH * len(gids), f"{growth >> 20} MiB more for {len(gids)} downloads")

    def connect(self):
        """All WebSockets open and answer."""
        self.sockets = [WebSocket(self.daemon.port, timeout=60) for _ in range(self.asked.sockets)]
        for number, socket in enumerate(self.sockets):
            answer = socket.ask(rpc.request("aria2.getVersion", [f"token:{SECRET}"], number))
            same(answer["id"], number, "answer")
        growth = self.daemon.memory() - self.full
        print(f"    {len(self.sockets)} WebSockets: {growth >> 20} MiB more")
        holds(growth < 32 * MEGA + SOCKET * len(self.sockets), f"{growth >> 20} MiB more")

    def fill_line(self):
        size = int(LINE * (self.asked.seconds + 60))
        gid = self.caller("addUri", [self.files.url(f"flood/{size}/flood")],
                          {"out": "flood", "split": "1", "max-download-limit": str(LINE)})
        until(lambda: int(self.caller("tellStatus", gid, ["completedLength"])["completedLength"]) > MEGA,
              lambda: "the line is full")
        return gid

    def poll(self):
        """Each WebSocket polls as a page does, while a download fills the line; no answer is lost."""
        gid, half = self.fill_line(), None
        begin = end = time.monotonic()
        count = 0
        while end - begin < self.asked.seconds:
            socket = self.sockets[count % len(self.sockets)]
            for method, params in POLLS.items():
                sent = time.monotonic()
                answer = socket.ask(rpc.request(f"aria2.{method}", [f"token:{SECRET}", *params], count))
                end = time.monotonic()
                same((answer["id"], "result" in answer), (count, True), f"answer to {method}")
                self.times[method].append(end - sent)
            count += 1
            if half is None and end - begin > self.asked.seconds / 2:
                half = self.daemon.memory()
        growth = self.daemon.memory() - (half or self.full)
        fetched = int(self.caller("tellStatus", gid, ["completedLength"])["completedLength"])
        rate = fetched / (end - begin) / 1e6
        print(f"    {count} polls in {end - begin:.0f} s while the line delivered {rate:.0f} MB/s:"
              f" {growth / MEGA:+.1f} MiB in the second half, {self.daemon.memory() >> 20} MiB in all")
        for method, times in self.times.items():
            milliseconds = [seconds * 1e3 for seconds in times]
            print(f"    {method}: median {statistics.median(milliseconds):.1f} ms,"
                  f" 95 % below {statistics.quantiles(milliseconds, n=20)[-1]:.1f} ms,"
                  f" longest {max(milliseconds):.0f} ms")
        holds(growth < GROWTH, f"{growth >> 20} MiB more in the second half of the polling")
        self.caller("forceRemove", gid)

    def notify(self):
        """Each WebSocket hears of each download, in order."""
        heard = [{} for _ in self.sockets]
        gids = [new_gid() for _ in range(50)]

        def listen(socket, found):
            while sum(len(names) == 2 for names in found.values()) < len(gids):
                message = socket.next_notification()
                gid = message["params"][0]["gid"]
                if gid in gids:
                    found.setdefault(gid, []).append(message["method"].removeprefix("aria2.onDownload"))

        threads = [threading.Thread(target=listen, args=pair, daemon=True)
                   for pair in zip(self.sockets, heard, strict=True)]
        for thread in threads:
            thread.start()
        for gid in gids:
            self.caller("addUri", [self.files.url(f"file/1/{gid}")], {"gid": gid})
        for thread in threads:
            thread.join(120)
        wanted = {gid: ["Start", "Complete"] for gid in gids}
        lost = sum(found != wanted for found in heard)
        holds(lost == 0, f"{lost} of {len(heard)} WebSockets did not hear all of {len(gids)} downloads")

    def remove(self):
        """All are removed, and their memory is used again."""
        gids = [one["gid"] for one in self.caller("tellWaiting", 0, 10**6, ["gid"])]
        for begin in range(0, len(gids), BATCH):
            calls = [rpc.request("aria2.forceRemove", [f"token:{SECRET}", gid], gid)
                     for gid in gids[begin:begin + BATCH]]
            answers = rpc.post(self.daemon.port, calls, timeout=120).body
            same([answer.get("result") for answer in answers], gids[begin:begin + BATCH], "answers of a batch")
        same(self.caller("tellWaiting", 0, 10), [], "downloads that are left")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segdl", type=pathlib.Path, help="the command")
    parser.add_argument("--aria2", action="store_true", help="the same with aria2c, to compare")
    parser.add_argument("--downloads", type=int, default=10_000)
    parser.add_argument("--sockets", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=20)
    asked = parser.parse_args()
    makers = []
    if asked.segdl:
        makers.append(lambda home: Segdl(asked.segdl.resolve(), home / "segdl"))
    if asked.aria2 and shutil.which("aria2c"):
        makers.append(lambda home: Aria2(home / "aria2c"))
    status = 0
    with scratch() as home:
        for make in makers:
            files, daemon = BehavingServer(), make(home)
            print(f"{daemon.name}:", flush=True)
            crowd = Crowd(daemon, files, asked)
            results = []
            for step in (crowd.add, crowd.connect, crowd.poll, crowd.notify, crowd.remove):
                results.append(outcome.run(outcome.Case(step.__doc__ or step.__name__, step)))
                if results[-1].fault:
                    break
            daemon.stop()
            files.stop()
            status |= outcome.report(f"many on {daemon.name}", results)
    sys.exit(status)


if __name__ == "__main__":
    main()
