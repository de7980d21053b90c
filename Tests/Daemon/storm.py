#!/usr/bin/env python3
"""Kills `segdl serve` under a storm of calls, starts it again on the same queue, and looks for what was acknowledged.

    Tests/Daemon/storm.py --segdl PATH [--rounds N] [--seed N]

Several connections add, pause, resume, remove, change options and places, each with downloads of its own, so that each
knows what has to be there. The kill -9 comes after a random number of answers. A change without an answer may be there
or not; an acknowledged one has to be there, under the same gid.
"""

import argparse
import collections
import contextlib
import http.client
import json
import pathlib
import random
import socket
import sys
import threading

import outcome
import rpc
from behaviours import BehavingServer
from daemons import SECRET, Segdl, scratch
from outcome import holds, same
from stand import new_gid

WORKERS = 4
ANSWERS = (3, 250)  # before a kill
MOST = 40  # downloads of a worker
RUNNING = {"active", "waiting"}
ENDED = {"complete", "removed", "error"}
LOST = (OSError, http.client.HTTPException, json.JSONDecodeError)


class Expected:
    """What one download has to be: one of some states (None: not there), with one of some limits."""

    def __init__(self, states, limits=("0",)):
        self.states, self.limits = set(states), set(limits)

    def check(self, gid, status, limit):
        state = status and status["status"]
        holds(state in self.states, f"{gid} is {state}, not one of {self.states}")
        if state and state not in ENDED:
            holds(limit in self.limits, f"the limit of {gid} is {limit}, not one of {self.limits}")


class Worker:
    """One connection with its own downloads, and what it was told about them."""

    def __init__(self, files, seed):
        self.files, self.random = files, random.Random(seed)
        self.downloads, self.small, self.caller = {}, set(), None
        # The calls about each download, for the words of a fault.
        self.calls = collections.defaultdict(list)

    def storm(self, port, count):
        """Calls until the daemon is gone."""
        self.caller = rpc.Caller(port, SECRET)
        self.caller.connection.connect()
        self.caller.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with contextlib.suppress(*LOST):
            while True:
                self.step()
                count()
        self.caller.close()

    def step(self):
        gids = [gid for gid, one in self.downloads.items() if one.states & (RUNNING | {"paused"})]
        steps = [self.pause, self.resume, self.remove, self.limit, self.limit]
        if len(gids) < 3 or (len(gids) < MOST and self.random.random() < 0.5):
            self.add()
        else:
            self.random.choice(steps)(self.random.choice(gids))

    def change(self, gid, before, after, method, *params):
        """Expects both while the call is under way, then what its answer says."""
        self.downloads[gid] = Expected(before.states | after.states, before.limits | after.limits)
        self.calls[gid].append(f"{method} {params[1:]}")
        answer = self.caller.answer(f"aria2.{method}", *params)
        self.calls[gid].append("done" if "result" in answer.body else answer.message)
        self.downloads[gid] = after if "result" in answer.body else before
        return answer

    def add(self):
        gid, limit = new_gid(), str(self.random.randrange(1, 100) * 1024)
        is_paused, is_small = self.random.random() < 0.5, self.random.random() < 0.2
        if is_small:
            self.small.add(gid)
        path = "file/10" if is_small else "late"
        states = {"paused"} if is_paused else self.running(gid)
        options = {"gid": gid, "pause": str(is_paused).lower(), "max-download-limit": limit, "out": gid}
        answer = self.change(gid, Expected([None]), Expected(states, [limit]), "addUri",
                             [self.files.url(f"{path}/{gid}")], options)
        same(answer.body.get("result"), gid, "gid of an added download")

    def ending(self, gid):
        """A file that is finished in the moment of a call is complete."""
        return {"complete"} if gid in self.small else set()

    def running(self, gid):
        return RUNNING | self.ending(gid)

    def pause(self, gid):
        before = self.downloads[gid]
        self.change(gid, before, Expected({"paused"} | self.ending(gid), before.limits), "pause", gid)

    def resume(self, gid):
        before = self.downloads[gid]
        self.change(gid, before, Expected(self.running(gid), before.limits), "unpause", gid)

    def remove(self, gid):
        before = self.downloads[gid]
        self.change(gid, before, Expected({None, "removed"} | self.ending(gid), before.limits),
                    "forceRemove", gid)

    def limit(self, gid):
        before, limit = self.downloads[gid], str(self.random.randrange(1, 1000) * 1024)
        self.change(gid, before, Expected(before.states, [limit]), "changeOption", gid, {"max-download-limit": limit})

    def check(self, statuses, caller):
        faults = []
        for gid, expected in self.downloads.items():
            status = statuses.get(gid)
            limit = status and caller("getOption", gid).get("max-download-limit")
            try:
                expected.check(gid, status, limit)
            except outcome.Fault as fault:
                faults.append(f"{fault}; it is {'small' if gid in self.small else 'endless'}; calls: {self.calls[gid]}")
            self.calls[gid].append("killed")
            if status:
                # From now on it is known again; without other calls it only moves on by itself.
                moves_on = status["status"] in RUNNING
                self.downloads[gid] = Expected(self.running(gid) if moves_on else [status["status"]], [limit])
        holds(not faults, f"{len(faults)} of {len(self.downloads)} downloads of a connection: {'; '.join(faults)}")
        self.downloads = {gid: one for gid, one in self.downloads.items() if gid in statuses}


class Mover(Worker):
    """Changes the places of its own paused downloads among those of all."""

    def __init__(self, files, seed):
        super().__init__(files, seed)
        self.order, self.moving = [], None

    def step(self):
        if len(self.order) < 8:
            gid = new_gid()
            self.moving = gid
            options = {"gid": gid, "pause": "true", "max-download-limit": "0"}
            self.change(gid, Expected([None]), Expected({"paused"}), "addUri", [self.files.url(f"late/{gid}")], options)
        else:
            self.moving = self.random.choice(self.order)
            place = self.random.randrange(3 * len(self.order))
            self.caller("changePosition", self.moving, place, "POS_SET")
        self.order, self.moving = self.places(self.caller), None

    def places(self, caller):
        waiting = [one["gid"] for one in caller("tellWaiting", 0, 10**6, ["gid"])]
        return [gid for gid in waiting if gid in self.downloads]

    def check(self, statuses, caller):
        super().check(statuses, caller)
        found = self.places(caller)
        rest = [gid for gid in found if gid != self.moving]
        same(rest, [gid for gid in self.order if gid != self.moving], "order of the places")
        self.order, self.moving = found, None


def lists(caller):
    """The statuses of all downloads by their gids.

    In this order no download is missed that begins or ends between two calls.
    """
    keys = ["gid", "status"]
    statuses = [*caller("tellWaiting", 0, 10**6, keys), *caller("tellActive", keys),
                *caller("tellStopped", 0, 10**6, keys)]
    return {status["gid"]: status for status in statuses}


class Storm:
    def __init__(self, program, home, seed):
        self.random, self.files = random.Random(seed), BehavingServer()
        self.workers = [Worker(self.files, f"{seed}-{number}") for number in range(WORKERS)]
        self.workers.append(Mover(self.files, f"{seed}-mover"))
        self.daemon, self.answers = Segdl(program, home, "--connect-timeout", "600"), 0

    @property
    def storming(self):
        return self.workers

    def end(self):
        self.daemon.kill()

    def excuses(self, _error):
        return False

    def round(self):
        """One storm, one kill, one start, and the look."""
        self.check()
        wanted, reached, lock = self.random.randint(*ANSWERS), threading.Event(), threading.Lock()
        self.answers = 0

        def count():
            with lock:
                self.answers += 1
                if self.answers == wanted:
                    reached.set()

        failures = []

        def run(worker):
            try:
                worker.storm(self.daemon.port, count)
            except Exception as error:
                if not self.excuses(error):
                    failures.append(error)
                    reached.set()

        threads = [threading.Thread(target=run, args=[worker], daemon=True) for worker in self.storming]
        for thread in threads:
            thread.start()
        holds(reached.wait(120), f"only {self.answers} answers in 120 seconds")
        self.end()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]
        self.daemon.start()
        self.check()

    def check(self):
        caller = rpc.Caller(self.daemon.port, SECRET)
        statuses = lists(caller)
        known = {gid for worker in self.workers for gid in worker.downloads}
        same(sorted(statuses.keys() - known), [], "downloads that no one added")
        try:
            for worker in self.workers:
                worker.check(statuses, caller)
        except outcome.Fault as fault:
            raise outcome.Fault(f"{fault}; the daemon said: {self.daemon.words()}") from None
        caller.close()

    def stop(self):
        self.daemon.stop()
        self.files.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segdl", type=pathlib.Path, required=True, help="the command")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    asked = parser.parse_args()
    results = []
    with scratch() as home:
        storm = Storm(asked.segdl.resolve(), home, asked.seed)
        for number in range(asked.rounds):
            case = outcome.Case(f"round {number + 1} of seed {asked.seed}", storm.round)
            results.append(outcome.run(case))
            if results[-1].fault:
                break
        storm.stop()
    sys.exit(outcome.report("storm", results))


if __name__ == "__main__":
    main()
