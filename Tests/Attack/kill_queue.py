"""Kills the runner of a queue, and commands, while four commanders change the queue.

In the end no confirmed download is lost, none is there twice, none that was removed is back, and each is complete and
exact.
"""

import collections

from .commander import Commander
from .rounds import HASTE

CHECKS = ["lost", "back", "doubled", "complete", "exact", "status", "ends"]
NEEDS_DISKS = False
COMMANDERS = 4


def obstacle(systems):
    return None


def attack(r):
    server = r.server(rate=r.rng.choice([300_000, 2_000_000]), trouble=r.rng.choice([0, 0.1, 0.3]))
    queue, files = r.home / "queue.sqlite", r.home / "files"
    commanders = [Commander(r, number, server, queue, files) for number in range(COMMANDERS)]
    for commander in commanders:
        commander.start()
    options = ["--queue", queue, "--progress", "none", "-j", "4", "--keep-running", *HASTE]
    while any(commander.is_alive() for commander in commanders):
        runner = r.start("queue", "start", *options)
        was_killed = r.kill_at(runner, r.rng.uniform(0.05, 2))
        if r.spoils("status"):
            was_killed, runner.returncode = False, -11
        if not was_killed:
            # It finds no queue before the first one is added.
            r.expect("status", runner, (0, 1, 5, 6))
    for commander in commanders:
        commander.join()
        r.hits += commander.hits
        for name, text in commander.failures:
            r.fail(name, text)
    look(r, server, queue, commanders, finish(r, server, queue))


def finish(r, server, queue):
    """Runs the queue to its end. Returns its rows."""
    server.settle()
    waiting = [row["id"] for row in r.listed(queue) if row["state"] in ("paused", "failed", "cancelled")]
    done = r.run("queue", "start", *waiting, "--queue", queue, "--progress", "none", "--until-idle", *HASTE)
    if r.spoils("ends"):
        done.returncode = 1
    r.expect("ends", done)
    return r.listed(queue)


def look(r, server, queue, commanders, rows):
    present = set().union(*[commander.present for commander in commanders])
    removed = set().union(*[commander.removed for commander in commanders])
    if present and r.spoils("lost"):
        rows = [row for row in rows if not row["source"].endswith("/" + min(present))]
    if removed and r.spoils("back"):
        rows = [*rows, {**rows[0], "source": server.url(min(removed))}]
    if r.spoils("doubled"):
        rows = [*rows, rows[0]]
    if r.spoils("complete"):
        rows = [*rows[1:], {**rows[0], "state": "failed"}]
    names = collections.Counter(row["source"].rsplit("/", 1)[1] for row in rows)
    r.check("lost", not present - set(names), f"lost {sorted(present - set(names))}")
    r.check("back", not removed & set(names), f"back {sorted(removed & set(names))}")
    doubled = sorted(name for name, count in names.items() if count > 1)
    r.check("doubled", not doubled, f"doubled {doubled}")
    open_rows = [(row["source"], row["state"], row.get("error")) for row in rows if row["state"] != "completed"]
    r.check("complete", not open_rows, f"not completed: {open_rows[:5]}")
    for row in rows:
        if row["state"] == "completed":
            r.check_file(row["path"], server.bodies(row["source"].rsplit("/", 1)[1]))
