#!/usr/bin/env python3
"""Has `segdl serve` download many small files, most of which it requests in batches.

    Tests/Daemon/batches.py --segdl PATH
"""

import argparse
import contextlib
import json
import pathlib
import random
import re
import sys
import threading
import time

import behaviours
import outcome
import rpc
from behaviours import content
from daemons import SECRET, Segdl, scratch, until
from outcome import holds, same
from stand import new_gid
from wsclient import WebSocket

cases = outcome.Cases()

SIZE = 3000
COUNTS = re.compile(r"(\d+) small files were requested in a batch; (\d+) of them had to leave it")
KEYS = ["status", "totalLength", "completedLength", "errorCode", "errorMessage"]


class Handler(behaviours.Handler):
    """Also /held/SIZE/NAME, a file that is sent only when the server's `released` is set."""

    def answer_parts(self, parts):
        if parts[0] == "held":
            self.rate = None
            self.server.arrived.set()
            self.server.released.wait(60)
            self.send_file(int(parts[1]))
        else:
            super().answer_parts(parts)


class Files(behaviours.FileServer):
    def __init__(self):
        super().__init__(Handler)
        self.arrived, self.released = threading.Event(), threading.Event()


class Home:
    """A daemon that reports its batches, and a server of its own."""

    def __init__(self, program, path, *options):
        self.files = Files()
        self.daemon = Segdl(program, path, "-vv", "--progress", "plain", *options)
        self.directory = self.daemon.directory

    def call(self, method, *params):
        with contextlib.closing(rpc.Caller(self.daemon.port, SECRET)) as caller:
            return caller(method, *params)

    def add(self, paths, options=lambda _: {}):
        """Adds paths of the server, which begin together, and returns their gids."""
        gids = []
        for path in paths:
            gids.append(new_gid())
            self.call("addUri", [self.files.url(path)], {"gid": gids[-1], "pause": "true", **options(path)})
        self.call("unpauseAll")
        return gids

    def status(self, gid):
        return self.call("tellStatus", gid, KEYS)

    def state(self, gid):
        return self.status(gid)["status"]

    def until_idle(self):
        until(lambda: all(self.call("getGlobalStat")[name] == "0" for name in ("numActive", "numWaiting")),
              lambda: f"idle: {self.call('getGlobalStat')}")

    def begin(self):
        """The host is then known to send small files."""
        self.add(names(8, "begin"))
        self.until_idle()

    def counts(self):
        """The files that were requested in batches, and those that had to leave them."""
        found = COUNTS.findall((self.daemon.home / "errors").read_text(errors="replace"))
        return sum(int(entered) for entered, _ in found), sum(int(left) for _, left in found)

    def until_entered(self, count):
        """The counts come when the connections of the batches have been closed."""
        until(lambda: self.counts()[0] >= count, lambda: f"{count} files in batches: {self.counts()}", 20)

    def stored(self, name):
        same((self.directory / name).read_bytes(), content(SIZE), name)

    def names(self):
        return sorted(one.name for one in self.directory.iterdir())

    def until_files(self, count):
        until(lambda: len(self.names()) >= count, lambda: f"{count} files: {self.names()}")

    def stop(self):
        self.files.released.set()
        self.daemon.stop()
        self.files.stop()


def names(count, name, kind="file"):
    return [f"{kind}/{SIZE}/{name}{number}" for number in range(count)]


@contextlib.contextmanager
def home_at(path, program, *options):
    path.mkdir(exist_ok=True)
    home = Home(program, path, *options)
    try:
        yield home
    finally:
        home.stop()


@cases("are requested once, in batches, with the headers of each, and their notifications come once")
def headers(program, path):
    with home_at(path, program, "--header", "X-Usual: all") as home:
        home.begin()
        with WebSocket(home.daemon.port) as socket:
            wanted = names(200, "f")
            gids = home.add(wanted, lambda path: {"header": [f"X-Own: {path}"]} if path.endswith("7") else {})
            told = {}
            while sum(len(one) for one in told.values()) < 400:
                message = socket.next_notification()
                told.setdefault(message["params"][0]["gid"], []).append(message["method"])
        same(told, {gid: ["aria2.onDownloadStart", "aria2.onDownloadComplete"] for gid in gids}, "notifications")
        home.until_entered(150)
        same(home.counts()[1], 0, "files that had to leave their batches")
        asked = {path: headers for path, headers in home.files.requests if "/f" in path}
        same(len(home.files.requests), 208, "requests")
        for number, one in enumerate(wanted):
            home.stored(f"f{number}")
            own = asked[f"/{one}"]
            expected = (one, None) if one.endswith("7") else (None, "all")
            same((own["X-Own"], own["X-Usual"]), expected, f"headers of {one}")


def ends(program, path, wanted, *options):
    with home_at(path, program, *options) as home:
        home.begin()
        gids = home.add(wanted)
        home.until_idle()
        found = {}
        for path_of_url, gid in zip(wanted, gids, strict=True):
            status = {name: str(value).replace(str(home.files.port), "PORT")
                      for name, value in home.status(gid).items()}
            found[path_of_url] = status
        return found, home.names(), home.counts()


@cases("have the same ends as those that are requested one by one")
def same_ends(program, path):
    wanted = [f"status/404/missing{number}" if number % 23 == 22 else one
              for number, one in enumerate(names(200, "f") + names(20, ".hidden"))]
    batched, stored, (entered, _) = ends(program, path / "batched", wanted)
    alone, stored_alone, (none, _) = ends(program, path / "alone", wanted, "--queue-order", "lifo")
    holds(entered > 100 and none == 0, f"{entered} and {none} files were requested in batches")
    for one in wanted:
        same(batched[one], alone[one], one)
    same(stored, stored_alone, "names")
    # A hidden name would be that of a program's settings.
    holds("hidden0" in stored and not any(name.startswith(".") for name in stored), stored)


@cases("a pause, a removal and a cancellation concern one file of a batch, and take effect at once")
def verbs(program, path):
    with home_at(path, program) as home:
        home.begin()
        gids = home.add(names(60, "f", "held"))
        holds(home.files.arrived.wait(60), "no request came")
        home.call("forcePause", gids[0])
        same(home.state(gids[0]), "paused", "state of the paused one")
        home.call("forceRemove", gids[1])
        # Of one that had not begun, nothing remains.
        with contextlib.suppress(rpc.Failure):
            same(home.state(gids[1]), "removed", "state of the cancelled one")
        answer = rpc.exchange(home.daemon.port, "POST", "/api/v1/actions", json.dumps(
            {"action": "remove", "ids": [gids[2]], "withFiles": True}), {"Authorization": f"Bearer {SECRET}"})
        same(answer.status, 200, "status of the removal")
        # It begins alone if the server has been silent for too long.
        holds(home.state(gids[3]) in ("waiting", "active"), f"another one is {home.state(gids[3])}")
        home.files.released.set()
        home.call("unpause", gids[0])
        home.until_idle()
        for number, gid in enumerate(gids):
            if number not in (1, 2):
                same(home.state(gid), "complete", f"state of f{number}")
                home.stored(f"f{number}")
        holds(not {"f1", "f2"} & set(home.names()), f"files of the removed ones: {home.names()}")
        home.until_entered(1)


@cases("300 files, 12 kills: none is lost, incomplete or there twice")
def kills(program, path):
    with home_at(path, program) as home:
        home.begin()
        gids = home.add(names(300, "f"))
        for number in range(12):
            home.until_files(min(len(home.names()) + 12, 308))
            time.sleep(random.uniform(0, 0.003))
            home.daemon.kill()
            home.daemon.start()
            holds(home.daemon.is_running, f"round {number}")
        home.until_idle()
        for number, gid in enumerate(gids):
            same(home.state(gid), "complete", f"state of f{number}")
            home.stored(f"f{number}")
        wanted = [f"f{number}" for number in range(300)] + [f"begin{number}" for number in range(8)]
        same(home.names(), sorted(wanted), "names")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segdl", type=pathlib.Path, required=True, help="the command")
    asked = parser.parse_args()
    results = []
    for case in cases:
        with scratch() as path:
            results.append(outcome.run(case, asked.segdl.resolve(), path))
    sys.exit(outcome.report("batches", results))


if __name__ == "__main__":
    main()
