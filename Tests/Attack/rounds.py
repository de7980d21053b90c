"""A round of an attack: its random decisions, its processes, and its checks."""

import collections
import contextlib
import hashlib
import json
import pathlib
import random
import subprocess

from .server import Server

# How long a command may take that is not killed. A longer one counts as hanging.
PATIENCE = 180
# Retries that come soon, because otherwise a round would mostly wait.
HASTE = ["--retries", "5", "--retry-delay", "0.1", "--low-speed-time", "2", "--connect-timeout", "3"]


class Stopped(Exception):
    """The round cannot go on after a failed check."""


def seed_of(seed, kind, number):
    """The seed of a round. The first round has the seed of the whole run, so that it can be repeated alone."""
    if number == 0:
        return seed
    return int.from_bytes(hashlib.sha256(f"{seed} {kind} {number}".encode()).digest()[:6], "big")


class Round:
    def __init__(self, kind, seed, segdl, home, systems, spoiling=None):
        self.kind, self.seed, self.segdl, self.home = kind, seed, segdl, pathlib.Path(home)
        self.systems = systems
        self.rng = random.Random(f"{seed} {kind}")
        # Kills, cuts and changes.
        self.hits = collections.Counter()
        # Pairs of a check's name and a text.
        self.failures = []
        self.notes = []
        # The check that is shown to fail, and whether the round came to it.
        self.spoiling, self.has_spoiled = spoiling, False
        self.processes = []
        self.cleanup = contextlib.ExitStack()

    def close(self):
        self.end_processes()
        self.cleanup.close()

    def random(self, purpose):
        """Decisions of their own for a thread, because otherwise they would depend on its timing."""
        return random.Random(f"{self.seed} {self.kind} {purpose}")

    def server(self, **options):
        server = Server(self.random("server"), **options)
        self.cleanup.callback(server.close)
        return server

    # MARK: Processes

    def start(self, *arguments, **options):
        log = self.home / f"stderr-{len(self.processes)}"
        command = [self.segdl, *map(str, arguments)]
        with open(log, "wb") as errors:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors, **options)
        process.log = log
        self.processes.append(process)
        return process

    def errors(self, process):
        return process.log.read_text(errors="replace").strip()[-400:]

    def ended(self, process):
        """What a process that has ended left."""
        return subprocess.CompletedProcess(process.args, process.returncode, "", self.errors(process))

    def has_ended(self, process, moment):
        """Lets some seconds pass, or fewer if the process ends before."""
        try:
            process.wait(moment)
            return True
        except subprocess.TimeoutExpired:
            return False

    def kill_at(self, process, moment):
        """Kills a process after some seconds; returns true if it had not ended by then."""
        if self.has_ended(process, moment):
            return False
        process.kill()
        process.wait()
        self.hits["kills"] += 1
        return True

    def end_processes(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
                process.wait()

    def run(self, *arguments, **options):
        """Runs the command to its end."""
        command = [self.segdl, *map(str, arguments)]
        try:
            return subprocess.run(
                command, capture_output=True, text=True, errors="replace", timeout=PATIENCE, check=False, **options
            )
        except subprocess.TimeoutExpired:
            self.fail("hangs", f"no end in {PATIENCE} s: {' '.join(command)}")
            raise Stopped from None

    def expect(self, name, done, statuses=(0,)):
        """Checks the exit status of a command that has ended."""
        errors = self.errors(done) if isinstance(done, subprocess.Popen) else done.stderr.strip()[-400:]
        arguments = " ".join(map(str, done.args[1:]))[-200:]
        return self.check(name, done.returncode in statuses, f"status {done.returncode} of {arguments}: {errors}")

    def listed(self, queue):
        """The rows of a queue."""
        done = self.run("queue", "list", "--queue", queue, "--json")
        if not self.expect("list", done):
            raise Stopped
        return [json.loads(line) for line in done.stdout.splitlines()]

    # MARK: Checks

    def fail(self, name, text):
        self.failures.append((name, text))

    def check(self, name, is_right, text):
        if not is_right:
            self.fail(name, text)
        return is_right

    def spoils(self, name):
        """Returns true if the round is to ruin what the check of this name looks at."""
        if self.spoiling != name:
            return False
        self.has_spoiled = True
        return True

    def check_file(self, path, contents, name="exact"):
        """Checks that a file holds one of some contents."""
        path = pathlib.Path(path)
        if self.spoils(name) and path.exists():
            flip(path, self.rng)
        if not path.exists():
            return self.check(name, False, f"{path.name} is missing")
        found = path.read_bytes()
        return self.check(name, found in contents, f"{path.name}: {described(found, contents)}")

    def check_names(self, directory, expected, name="leftovers"):
        """Checks that a directory has these names and no others."""
        if self.spoils(name):
            (directory / "stray.part").touch()
        found = {str(path.relative_to(directory)) for path in directory.rglob("*") if not path.is_dir()}
        expected = set(expected)
        text = f"left behind {sorted(found - expected)}, missing {sorted(expected - found)}"
        return self.check(name, found == expected, text)


def described(found, contents):
    """Says where the bytes of a wrong file are from."""
    lengths = sorted({len(content) for content in contents})
    origins = []
    for start in range(0, max(len(found), 1), 65536):
        piece = found[start : start + 65536]
        origin = [number for number, content in enumerate(contents) if content[start : start + 65536] == piece]
        if not origins or origins[-1][1] != origin:
            origins.append((start, origin))
    return f"{len(found)} bytes of {lengths}, wrong; from byte, of versions: {origins[:12]}"


def flip(path, rng):
    """Changes one bit of a file, or gives an empty one a byte."""
    data = bytearray(path.read_bytes())
    if data:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data or b"x")
