"""A thread that changes a queue by commands, some of which are killed."""

import collections
import json
import signal
import subprocess
import threading

from .rounds import PATIENCE


class Commander(threading.Thread):
    """Has downloads of its own, because otherwise it could not know what is to be there.

    - present: names that were added, confirmed
    - removed: names that were removed, confirmed
    """

    def __init__(self, r, number, server, queue, files):
        super().__init__(daemon=True)
        self.r, self.number, self.server, self.queue, self.files = r, number, server, queue, files
        self.rng = r.random(f"commander {number}")
        self.commands = self.rng.randint(10, 30)
        self.last = 0
        self.present, self.removed = set(), set()
        self.hits, self.failures = collections.Counter(), []

    def run(self):
        for _ in range(self.commands):
            verb = self.rng.choice(["add", "add", "add", "remove", "pause", "resume", "move", "list"])
            if verb == "add" or not self.present:
                self.add()
            elif verb == "remove":
                self.remove()
            elif verb == "list":
                self.list()
            else:
                self.change(verb)

    def add(self):
        names = []
        for _ in range(self.rng.choice([1, 1, 3, 10])):
            self.last += 1
            names.append(f"c{self.number}-{self.last}")
            self.server.add(names[-1], self.rng.choice([0, 100, 5_000, 200_000, 2_000_000]))
        options = self.rng.choice([[], [], ["--front"], ["--paused"], ["--priority", "1"]])
        done = self.command("add", "-d", self.files, *options, *map(self.server.url, names))
        if done.returncode == 0:
            self.present.update(names)
            self.hits["added"] += len(names)

    def remove(self):
        name = self.rng.choice(sorted(self.present))
        # One that is killed may have removed it or not.
        self.present.discard(name)
        done = self.command("remove", self.server.url(name))
        if done.returncode == 0:
            self.removed.add(name)
            self.hits["removed"] += 1

    def change(self, verb):
        names = self.rng.sample(sorted(self.present), min(len(self.present), self.rng.randint(1, 3)))
        options = [self.rng.choice(["--front", "--back"])] if verb == "move" else []
        self.command(verb, *options, *map(self.server.url, names))

    def list(self):
        done = self.command("list", "--json", kills=False)
        if done.returncode:
            self.failures.append(("list", f"status {done.returncode}: {done.stderr[-300:]}"))
            return
        names = {json.loads(line)["source"].rsplit("/", 1)[1] for line in done.stdout.splitlines()}
        if missing := self.present - names:
            self.failures.append(("lost", f"not listed: {sorted(missing)}"))
        if back := self.removed & names:
            self.failures.append(("back", f"listed: {sorted(back)}"))

    def command(self, verb, *arguments, kills=True):
        """Runs a command of the queue; kills it at a random moment, if that is allowed, now and then."""
        self.hits["commands"] += 1
        moment = self.rng.uniform(0, 0.15) if kills and self.rng.random() < 0.1 else None
        command = [self.r.segdl, "queue", verb, "--queue", self.queue, *arguments]
        process = subprocess.Popen(
            list(map(str, command)),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        try:
            output, errors = process.communicate(timeout=moment or PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            output, errors = process.communicate()
            if moment is None:
                self.failures.append(("hangs", f"no end in {PATIENCE} s: {verb} {arguments}"))
            self.hits["commands killed"] += 1
        done = subprocess.CompletedProcess(command, process.returncode, output, errors)
        if done.returncode == 0:
            return done
        if done.returncode < 0 and done.returncode != -signal.SIGKILL:
            self.failures.append(("status", f"signal {-done.returncode} ended {verb} {arguments}: {errors[-300:]}"))
        self.hits["refused"] += done.returncode > 0
        return done
