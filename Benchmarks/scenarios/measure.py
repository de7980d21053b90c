"""Runs contenders in turn, and keeps what each run took."""

import dataclasses
import os
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Protocol

LONG = 60  # seconds
KEPT = 20_000  # files of one run that are removed only at the end


class Server(Protocol):
    """A server that counts the requests of one run."""

    def begin(self) -> None: ...
    def counts(self): ...


class Expected(Protocol):
    """The files that a run is to leave."""

    files: int
    size: int

    def differs(self, out: str) -> str | None: ...


@dataclasses.dataclass
class Job:
    """What one contender does in a scenario."""

    label: str
    command: list[str]
    server: Server | None = None
    expected: Expected | None = None
    runs: int | None = None  # at most; all if None


@dataclasses.dataclass
class Setup:
    """A scenario that is ready to run."""

    jobs: list[Job]
    inside: list[str] = dataclasses.field(default_factory=list)  # before each command: a namespace
    ideal: float | None = None  # seconds, from ideal.py
    # (seconds, function): called at that time of a run
    during: list[tuple[float, Callable[[], None]]] = dataclasses.field(default_factory=list)
    limit: float = 180  # seconds for one run; what takes longer is called hung
    repeat: int = 1  # times as many runs as elsewhere, where one takes milliseconds
    warm_up: bool = True  # whether a round comes first that is not counted
    round: Callable[[int], None] | None = None  # called before each round with its number: a seed
    far: dict | None = None  # what a page says of a line with TCP, see real.py


class Failed(Exception):
    pass


class Timers:
    """Calls functions at their times of a run, and none after it."""

    def __init__(self, events):
        self.timers = [threading.Timer(*event) for event in events]

    def __enter__(self):
        for timer in self.timers:
            timer.start()

    def __exit__(self, *_):
        for timer in self.timers:
            timer.cancel()
            timer.join()


class Machine:
    """Where runs happen: a directory for what they leave, and a home of their own without anyone's settings."""

    def __init__(self, home, timed):
        self.out, self.timed = f"{home}/out", timed
        self.private = f"{home}/private"
        self.done = 0  # runs of many files that are kept until the end

    def empty(self):
        # For a minute ext4 looks at each inode that was removed before it makes another one: half of all CPU time then.
        if 100 < sum(len(files) for _, _, files in os.walk(self.out)) <= KEPT:
            self.done += 1
            os.rename(self.out, f"{self.out}-{self.done}")
        for folder in (self.out, self.private):
            shutil.rmtree(folder, ignore_errors=True)
            os.mkdir(folder)
        os.sync()  # what earlier runs wrote is not to be paid by this one

    def run(self, job, setup):
        """One run: a dictionary of figures. Raises Failed if the tool did not do its work."""
        self.empty()
        if job.server:
            job.server.begin()
        environment = {"PATH": os.environ["PATH"], "HOME": self.private, "LC_ALL": "C.UTF-8"}
        reading, writing = os.pipe()
        with Timers(setup.during):
            # The launcher wants its pipe as descriptor 3 (some shells know numbers below 10 only); a session of its own
            # makes it and its children killable.
            child = subprocess.Popen(
                [*setup.inside, "sh", "-c", f'exec "$0" "$@" 3>/dev/fd/{writing}', self.timed, *job.command],
                cwd=self.out, env=environment, pass_fds=[writing], start_new_session=True, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            os.close(writing)
            try:
                _, errors = child.communicate(timeout=setup.limit)
            except BaseException as error:
                os.killpg(child.pid, signal.SIGKILL)
                child.communicate()
                os.close(reading)
                if isinstance(error, subprocess.TimeoutExpired):
                    raise Failed(f"hung: not done after {setup.limit:.0f} s") from None
                raise
        with os.fdopen(reading) as report:
            status, wall, user, system, peak = report.read().split()
        if int(status) != 0:
            words = errors.decode(errors="replace").strip().splitlines()
            raise Failed(f"exit status {int(status)}" + (f": {words[-1]}" if words else ""))
        figures = {
            "wall": float(wall), "user": float(user), "system": float(system), "peak": int(peak) / 1024}
        if job.server:
            figures |= job.server.counts()._asdict()
        if job.expected:
            try:
                reason = job.expected.differs(self.out)
            except FileNotFoundError as error:
                reason = f"no file {os.path.basename(error.filename)}"
            if reason:
                raise Failed(f"WRONG CONTENT: {reason}")
        return figures


def measure(machine, setup, runs, plain):
    """Every contender once to warm up, then all of them in turn, `runs` times. What takes a minute is run once.

    `plain` takes this machine's paths from a message.
    """
    samples = {job.label: [] for job in setup.jobs}
    failures = {job.label: [] for job in setup.jobs}
    done = set()
    for number in range(0 if setup.warm_up else 1, runs * setup.repeat + 1):
        if setup.round:
            setup.round(number)
        for job in setup.jobs:
            if job.label in done or job.runs and number > job.runs:
                continue
            began = time.monotonic()
            try:
                figures = machine.run(job, setup)
            except Failed as failure:
                failures[job.label].append(plain(str(failure)))
                print(f"    {job.label}: {failures[job.label][-1]}", file=sys.stderr)
            else:
                # Comparing what arrived may be what takes long.
                if number or time.monotonic() - began > LONG:
                    samples[job.label].append(figures)
            if time.monotonic() - began > LONG:
                done.add(job.label)
        if setup.repeat == 1:
            walls = ", ".join(f"{label} {taken[-1]['wall']:.2f}" for label, taken in samples.items() if taken)
            print(f"    round {number}: {walls or 'warm-up'}", file=sys.stderr, flush=True)
    return [
        {
            "label": job.label,
            "size": job.expected.size if job.expected else 0,
            "files": job.expected.files if job.expected else 0,
            "samples": samples[job.label],
            "failures": failures[job.label],
        }
        for job in setup.jobs
    ]


class Result:
    """What was measured of one scenario, read from the raw results."""

    def __init__(self, raw):
        self.raw, self.ideal = raw, raw.get("ideal")
        self.contenders = {entry["label"]: entry for entry in raw["contenders"]}

    def values(self, label, figure):
        samples = self.contenders.get(label, {}).get("samples", [])
        if figure == "cpu":
            return [sample["user"] + sample["system"] for sample in samples]
        if figure == "twice":
            size = self.contenders[label]["size"]
            return [sample["bytes"] - size for sample in samples if "bytes" in sample]
        if figure == "again":
            return [
                100 * (sample["crossed"] / self.contenders[label]["size"] / self.raw["far"]["overhead"] - 1)
                for sample in samples if sample.get("crossed")]
        return [sample[figure] for sample in samples if figure in sample]

    def median(self, label, figure):
        """None where the contender was left out or never got to the end."""
        values = self.values(label, figure)
        return statistics.median(values) if values else None

    def ratio(self, label, base, figure):
        above, below = self.median(label, figure), self.median(base, figure)
        return above / below if above is not None and below else None

    def against_ideal(self, label):
        wall = self.median(label, "wall")
        return wall / self.ideal if wall is not None and self.ideal else None

    def per_gib(self, label):
        cpu = self.median(label, "cpu")
        size = self.contenders.get(label, {}).get("size")
        return cpu / (size / 1024**3) if cpu is not None and size else None
