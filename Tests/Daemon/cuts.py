#!/usr/bin/env python3
"""Cuts the power below `segdl serve` under a storm of calls, starts it again, and looks for what was acknowledged.

    Tests/Daemon/cuts.py --segdl PATH [--rounds N] [--seed N] [--system ext4]

The storm is that of storm.py, with mirrors beside the downloads. All files of the daemon are on a file system of a
loop device, which is stopped without its journal: bytes that were not synced are lost. It needs root and such devices;
without them the case is left out.
"""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

import outcome
import rpc
import storm
from behaviours import BehavingServer
from daemons import SECRET, Segdl
from outcome import holds

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from Attack.disk import Disk, usable_systems  # noqa: E402

SIZE = 96 << 20
MOST = 12  # mirrors
WANTED, RESTING = {"running", "waiting"}, {"stopped", "stopping"}


class Cut:
    """A call that fails while the power is gone may have been stored or not."""

    def change(self, gid, before, after, method, *params):
        answer = super().change(gid, before, after, method, *params)
        if "result" not in answer.body and self.disk.is_cut:
            self.downloads[gid] = storm.Expected(before.states | after.states, before.limits | after.limits)
            raise rpc.Failure(answer)
        return answer

    def __init__(self, disk, *more):
        super().__init__(*more)
        self.disk = disk


class CutWorker(Cut, storm.Worker):
    """As in a storm of kills."""


class CutMover(Cut, storm.Mover):
    """As in a storm of kills."""


class Mirrorer:
    """One connection that adds, runs, stops and removes mirrors, and knows what each has to be."""

    def __init__(self, files, seed):
        self.files, self.random = files, random.Random(seed)
        self.mirrors, self.removed, self.calls = {}, set(), []

    def call(self, port, method, path, body=None):
        answer = rpc.exchange(port, method, f"/api/v1/{path}", body and storm.json.dumps(body),
                              {"Authorization": f"Bearer {SECRET}"})
        if answer.status != 200:
            raise rpc.Failure(answer)
        return answer.body

    def storm(self, port, count):
        with storm.contextlib.suppress(*storm.LOST):
            while True:
                self.step(port)
                count()

    def step(self, port):
        there = sorted(self.mirrors.keys() - self.removed)
        if len(there) < 3 or (len(there) < MOST and self.random.random() < 0.3):
            self.add(port)
        else:
            action = self.random.choice(["run", "stop", "stop", "remove"])
            self.change(port, self.random.choice(there), action)

    def add(self, port):
        directory, is_stopped = storm.new_gid(), self.random.random() < 0.5
        self.mirrors[directory] = {None} | (RESTING if is_stopped else WANTED)
        wanted = {"source": self.files.url(f"late/{directory}/"), "directory": directory, "stopped": is_stopped}
        self.call(port, "POST", "mirrors", wanted)
        self.mirrors[directory] = RESTING if is_stopped else WANTED
        self.calls.append(f"{directory} is added, {is_stopped}")

    def change(self, port, directory, action):
        after = {"run": WANTED, "stop": RESTING, "remove": {None}}[action]
        found = self.list(port).get(directory)
        holds(found, f"{directory} is not in the list; calls: {self.calls[-20:]}")
        self.mirrors[directory] = self.mirrors[directory] | after
        self.call(port, "POST", f"mirrors/{found['id']}", {"action": action})
        self.calls.append(f"{directory}: {action}")
        self.mirrors[directory] = after
        if action == "remove":
            # It stays among those that must not come back, but is not called any more.
            self.removed.add(directory)

    def list(self, port):
        mirrors = self.call(port, "GET", "mirrors")["mirrors"]
        return {pathlib.Path(mirror["directory"]).name: mirror for mirror in mirrors}

    def look(self, port):
        found = self.list(port)
        holds(not found.keys() - self.mirrors.keys(), "there are mirrors that no one added")
        faults = []
        for directory, states in self.mirrors.items():
            state = found.get(directory, {}).get("state")
            if state not in states:
                faults.append(f"{directory} is {state}, not one of {states}")
        holds(not faults, f"{faults}; calls: {self.calls[-40:]}")
        self.removed = set()
        self.mirrors = {name: WANTED if mirror["state"] in WANTED else RESTING for name, mirror in found.items()}


class Cuts(storm.Storm):
    """A storm on a disk whose power is cut in place of the kill."""

    def __init__(self, program, disk, seed):
        self.random, self.files, self.disk = random.Random(seed), BehavingServer(), disk
        self.workers = [CutWorker(disk, self.files, f"{seed}-{number}") for number in range(storm.WORKERS - 1)]
        self.workers.append(CutMover(disk, self.files, f"{seed}-mover"))
        self.mirrorer = Mirrorer(self.files, f"{seed}-mirrors")
        self.daemon, self.answers = Segdl(program, disk.place, "--connect-timeout", "600"), 0

    @property
    def storming(self):
        return [*self.workers, self.mirrorer]

    def end(self):
        self.disk.cut()
        self.daemon.kill()
        self.disk.boot()

    def excuses(self, error):
        """An error's answer, or none, is what a daemon without a disk should give."""
        return self.disk.is_cut and isinstance(error, (rpc.Failure, *storm.LOST))

    def check(self):
        super().check()
        self.mirrorer.look(self.daemon.port)
        self.disk.is_cut = False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segdl", type=pathlib.Path, required=True, help="the command")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--system", default="ext4", help="the file system")
    asked = parser.parse_args()
    ways = usable_systems([asked.system])
    results = []
    if not ways:
        results.append(outcome.Result("power cuts", reason=f"{asked.system} cannot be cut here"))
        sys.exit(outcome.report("cuts", results))
    with tempfile.TemporaryDirectory(prefix="segdl-cuts-") as home:
        disk = Disk(asked.system, ways[asked.system], pathlib.Path(home), SIZE)
        try:
            cuts = Cuts(asked.segdl.resolve(), disk, asked.seed)
            try:
                for number in range(asked.rounds):
                    case = outcome.Case(f"cut {number + 1} of seed {asked.seed}", cuts.round)
                    results.append(outcome.run(case))
                    if results[-1].fault:
                        break
            finally:
                cuts.stop()
        finally:
            try:
                disk.close()
            except subprocess.CalledProcessError as error:
                results.append(outcome.Result("the disk", f"it cannot be unmounted: {error.stderr}"))
    sys.exit(outcome.report("cuts", results))


if __name__ == "__main__":
    main()
