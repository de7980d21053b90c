"""Runs that are killed, and what changes before they are started again."""

import os
import random
import subprocess
import time
import urllib.request

from outcomes import Outcome, classify
from tools import DATA, LIMIT, MB, STATE, Run, rate


def killed(bench, tool, work, case):
    """20 kills at random moments of a download of 25 s, resumed each time."""
    size = 100 * MB
    url = bench.server.url("plain", case, size=size, rate=rate(tool, 4 * MB))
    began, kills, status = time.monotonic(), 0, None
    while kills < 20 and status is None:
        run = Run(bench, tool, url, work)
        try:
            status = run.process.wait(random.uniform(0.3, 2.0))
        except subprocess.TimeoutExpired:
            run.kill()
            kills += 1
    if status is None:
        status = Run(bench, tool, url, work).wait(2 * LIMIT)
    name = classify(tool, work, status, [bench.server.truth(size)])
    sent = bench.server.ask("peak", case)["bytesSent"] / size
    return Outcome(name, time.monotonic() - began, f"{kills} kills, {sent:.0%} of the file sent")


def kept(bench, case, before, name, size):
    """How much of the file a resume did not fetch again, which says something only if the file is right."""
    sent = bench.server.ask("peak", case)["bytesSent"] - before
    return f"{max(0, 1 - sent / size):.0%} not fetched again" if name.startswith("exact") else ""


def resumed(bench, tool, work, case, url, meddle, truth, resume=True):
    """Kills a run half way, meddles, and runs the same command again."""
    run = Run(bench, tool, url, work)
    time.sleep(2.3)
    run.kill()
    before = bench.server.ask("peak", case)["bytesSent"]
    if meddle(work) is False:
        return None
    run = Run(bench, tool, url, work, resume=resume)
    status = run.wait()
    name = classify(tool, work, status, [truth])
    return Outcome(name, run.seconds, kept(bench, case, before, name, len(truth)))


def changed(by, version):
    """The remote file changes between a killed run and its resume."""
    def row(bench, tool, work, case):
        url = bench.server.url("changing", case, by=by, after=50, rate=rate(tool, 2 * MB))

        def meddle(_):
            for _ in range(60):
                urllib.request.urlopen(urllib.request.Request(url, method="HEAD")).close()
        return resumed(bench, tool, work, case, url, meddle, bench.server.truth(*version))
    return row


def dishonest(behaviour, **parameters):
    """A killed run is resumed from a server whose answers to ranges are wrong."""
    def row(bench, tool, work, case):
        url = bench.server.url(behaviour, case, rate=rate(tool, 2 * MB), **parameters)
        return resumed(bench, tool, work, case, url, lambda _: True, bench.server.truth())
    return row


def damaged(how, resume=True):
    """What a killed run left is damaged before its resume."""
    def row(bench, tool, work, case):
        def meddle(work):
            data = f"{work}/{DATA[tool]}"
            length = os.path.getsize(data)
            if how == "replaced":
                with open(f"{work}/new", "wb") as file:
                    file.write(random.randbytes(length))
                os.rename(f"{work}/new", data)
            elif how == "in place":
                with open(data, "r+b") as file:
                    file.write(random.randbytes(length))
            elif how == "truncated":
                os.truncate(data, length // 8)
            elif how == "deleted":
                os.unlink(data)
            elif how == "stateless":
                if STATE[tool] is None:
                    return False
                os.unlink(f"{work}/{STATE[tool]}")
            return True
        url = bench.server.url("plain", case, rate=rate(tool, 2 * MB))
        return resumed(bench, tool, work, case, url, meddle, bench.server.truth(), resume)
    return row


def together(bench, tool, work, case):
    """Two processes fetch the same file into the same directory, the second 0.5 s after the first."""
    url = bench.server.url("plain", case, rate=rate(tool, 2 * MB))
    runs = [Run(bench, tool, url, work)]
    time.sleep(0.5)
    runs.append(Run(bench, tool, url, work))
    statuses = [run.wait() for run in runs]
    if None in statuses:
        name = "hung"
    else:
        name = classify(tool, work, 0 if 0 in statuses else 1, [bench.server.truth()])
    return Outcome(name, runs[0].seconds, f"exits {statuses[0]} and {statuses[1]}")
