"""Downloads that end before their time, and go on."""

import time

from content import BIG, BIG_SIZE, made
from outcome import FAILED, REFUSED, WRONG, Outcome, judge, passed
from server import wait_until

RATE = 12 << 20
ENOUGH = 4 << 20  # bytes that are there when the fault comes
OUTAGE = 3  # seconds
CHANGED = 4  # the status that says that the file is another one now


class NotUnderWay(Exception):
    """The fault could not come in the middle."""


def under_way(stage, place):
    """A fetch in whose middle the fault can come."""
    process = stage.tool.begin(stage.server.url(BIG), place, stage.server.access(), RATE)
    wait_until(lambda: process.poll() is not None or stage.tool.arrived(place) >= ENOUGH, 60)
    if process.poll() is not None:
        run = stage.tool.finish(process)
        raise NotUnderWay(f"it ended with status {run.status} before the fault: {run.message}")
    return process


def kill(stage):
    place = stage.place(BIG)
    process = under_way(stage, place)
    stage.tool.kill(process)
    return place


def again(stage, place):
    return stage.tool.fetch(stage.server.url(BIG), place, stage.server.access())


def resume(stage):
    ranges = stage.server.has_ranges()
    try:
        place = kill(stage)
    except NotUnderWay as error:
        return Outcome(REFUSED, str(error))
    run = again(stage, place)
    outcome = judge(run, place, stage.site.read(BIG))
    if outcome.kind != "passed":
        return outcome
    if not ranges:
        return passed("from the start, because the server has no ranges")
    if run.received is not None and run.received >= BIG_SIZE:
        return Outcome(FAILED, f"all {run.received:,} bytes were received again")
    return outcome


def change(stage):
    return changed(stage, BIG_SIZE)


def resize(stage):
    return changed(stage, BIG_SIZE - 1_000_003)


def changed(stage, size):
    before = stage.site.read(BIG)
    try:
        place = kill(stage)
        after = made(BIG, size, version=size)
        stage.site.change(BIG, after)
        # A cache may show the old file for a while.
        if not wait_until(lambda: stage.server.fetch(BIG).body == after, 30, pause=0.2):
            return Outcome(FAILED, "the server does not show the new file")
        run = again(stage, place)
    except NotUnderWay as error:
        return Outcome(REFUSED, str(error))
    finally:
        stage.site.change(BIG, before)
        wait_until(lambda: stage.server.fetch(BIG).body == before, 30, pause=0.2)
    outcome = judge(run, place, after)
    if outcome.kind == WRONG and place.read_bytes() == before:
        return Outcome(WRONG, f"the old file, status {run.status}")
    if run.status == CHANGED and run.message and outcome.kind == REFUSED:
        return passed(f"told: {run.message}")
    return outcome


def restart(stage):
    place = stage.place(BIG)
    try:
        process = under_way(stage, place)
    except NotUnderWay as error:
        return Outcome(REFUSED, str(error))
    stage.server.stop()
    time.sleep(OUTAGE)  # the outage itself
    is_waiting = process.poll() is None
    stage.server.start()
    run = stage.tool.finish(process)
    outcome = judge(run, place, stage.site.read(BIG))
    if outcome.kind == "passed" and not is_waiting:
        return Outcome(FAILED, "the outage was not noticed: every byte was in a buffer")
    return outcome
