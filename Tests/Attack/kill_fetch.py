"""Kills fetches from a server that misbehaves while the file changes.

Each run is killed at a random moment, or ends. In the end the file is exactly one of its versions, and nothing else is
left.
"""

from .promises import COMPLETE_IS_DONE
from .rounds import HASTE

CHECKS = ["exact", "ends", "leftovers", "status"]
NEEDS_DISKS = False
# Any but usage, and but the end by a signal.
CLEAR = (0, 1, 2, 3, 4, 5)


def obstacle(systems):
    return None


def attack(r):
    rng = r.rng
    size = rng.choice([0, 1, 300_000, 1_500_000, 4_000_000, 12_000_000])
    segments = rng.choice(["1", "2", "4", "8", "auto"])
    server = r.server(
        # About two seconds for each run, so that most kills hit the transfer.
        rate=max(100_000, size // 8),
        trouble=rng.choice([0, 0.1, 0.3, 0.6]),
        without=rng.choice([None, "ETag", "Last_Modified"]),
    )
    server.add("f.bin", size)
    directory = r.home / "files"
    final = directory / "f.bin"
    command = ["fetch", server.url("f.bin"), "-d", directory, "-s", segments, *HASTE]
    command += rng.choice([[], ["--min-segment-size", "100k"], ["--durability", "process"]])
    for number in range(rng.randint(2, 8)):
        process = r.start(*command)
        trouble(r, server, process)
        # Later and later, so that a busy machine gets on too.
        if not r.kill_at(process, rng.uniform(0, 0.8 + 0.1 * number)):
            if r.spoils("status"):
                process.returncode = -11
            r.expect("status", process, CLEAR)
        if final.exists():
            break
        if rng.random() < 0.3:
            server.change("f.bin")
            r.hits["changes"] += 1
    end(r, server, command, final)


def trouble(r, server, process):
    """Changes the file, or shuts the server for a while, in the middle of a run."""
    choice = r.rng.random()
    if choice > 0.4 or r.has_ended(process, r.rng.uniform(0, 0.5)):
        return
    if choice < 0.25:
        server.change("f.bin")
        r.hits["changes"] += 1
    else:
        server.shut()
        r.has_ended(process, r.rng.uniform(0, 0.5))
        server.open()


def end(r, server, command, final):
    """Looks at the file that there may be, and expects that the next run of all is right."""
    server.settle()
    was_there = final.exists()
    if was_there:
        r.check_file(final, server.bodies("f.bin"))
    done = r.run(*command)
    current = server.now("f.bin").body
    is_done = was_there and final.read_bytes() == current
    if r.spoils("ends"):
        done.returncode = 2
    # A finished file of an earlier version is another file under the final name.
    statuses = (0,) if not was_there or is_done and COMPLETE_IS_DONE else (0, 5) if is_done else (5,)
    if r.expect("ends", done, statuses) and (done.returncode == 0 or is_done):
        r.check_file(final, [current])
        r.check_names(final.parent, ["f.bin"])
