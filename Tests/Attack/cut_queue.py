"""Cuts the power while a queue is changed.

Each change that was confirmed by status 0 outlives the cut: what was added is there, what was removed is not; and the
queue can be used.
"""

from . import cuts
from .rounds import HASTE, Stopped

CHECKS = ["lost", "back", "list", "usable"]
NEEDS_DISKS = True
obstacle = cuts.obstacle


def attack(r):
    server = r.server(rate=1000)
    server.add("slow", 100_000_000)
    with cuts.disk(r) as disk:
        queue = disk.place / "queue.sqlite"
        # A process that has the queue open takes the changes of the others, and closes no log after each.
        r.expect("usable", r.run("queue", "add", "--queue", queue, "-d", disk.place, server.url("slow")))
        if r.rng.random() < 0.8:
            r.start("queue", "start", "--queue", queue, "--progress", "none", *HASTE)
            server.wait_for("slow")
        with cuts.cut(r, disk, 0.05, 4):
            present, unsure = changes(r, disk, queue, server)
        if r.spoils("list"):
            queue.write_bytes(b"no database" * 1000)
        if r.spoils("lost"):
            r.run("queue", "remove", "--queue", queue, "all")
        if r.spoils("back"):
            r.run("queue", "add", "--queue", queue, "--paused", "-d", disk.place, server.url("7777777"))
        names = {row["source"].rsplit("/", 1)[1] for row in r.listed(queue)}
        found = {int(name) for name in names - {"slow"}}
        lost, back = sorted(present - found - unsure), sorted(found - present - unsure)
        r.check("lost", not lost and "slow" in names, f"lost {lost}; {len(present)} were confirmed")
        r.check("back", not back, f"back {back}; {len(present)} were confirmed")
        again = r.run("queue", "add", "--queue", queue, "--paused", "-d", disk.place, server.url(0))
        if r.spoils("usable"):
            again.returncode = 5
        r.expect("usable", again)


def changes(r, disk, queue, server):
    """Adds and removes downloads until the power is cut."""
    present, number = set(), 0
    while not disk.is_cut:
        number += 1
        if present and r.rng.random() < 0.3:
            changed = r.rng.choice(sorted(present))
            verb = ["remove", "--queue", queue]
        else:
            changed = number
            verb = ["add", "--queue", queue, "--paused", "-d", disk.place]
        try:
            done = r.run("queue", *verb, server.url(changed))
        except Stopped:
            return present, {changed}
        if done.returncode or disk.is_cut:
            return present, {changed}
        r.hits["confirmed"] += 1
        (present.discard if verb[0] == "remove" else present.add)(changed)
    return present, set()
