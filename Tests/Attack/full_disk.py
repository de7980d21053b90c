"""Fills the disk under a fetch, a queue or a mirror.

The error says that there is no room, nothing that was confirmed is lost, and the next run goes on when there is room,
and ends exact.
"""

import contextlib
import os

from .disk import call, make
from .rounds import HASTE

CHECKS = ["message", "lost", "ends", "exact", "leftovers"]
NEEDS_DISKS = False
ROOM = 48 << 20
WORDS = ("full", "room", "space")


def obstacle(systems):
    return None if os.geteuid() == 0 else "only root mounts file systems"


def attack(r):
    with small_disk(r) as place:
        r.rng.choice([fetch, queue, mirror])(r, place)


@contextlib.contextmanager
def small_disk(r):
    place = r.home / "small"
    place.mkdir()
    system = r.rng.choice(["tmpfs", "ext4"])
    r.notes.append(f"rounds on {system}")
    if system == "tmpfs":
        call("mount", "-t", "tmpfs", "-o", f"size={ROOM}", "none", place)
    else:
        make("ext4", r.home / "image", ROOM, "-b", "4096")
        call("mount", "-o", "loop", r.home / "image", place)
    try:
        yield place
    finally:
        r.end_processes()
        call("umount", place)


def fill(place, left):
    """Takes all room but some bytes."""
    with open(place / "filler", "ab") as file:
        while (free := os.statvfs(place).f_bavail * os.statvfs(place).f_frsize - left) > 0:
            try:
                os.posix_fallocate(file.fileno(), file.tell(), max(4096, free // 2))
            except OSError:
                break
            file.seek(0, os.SEEK_END)
    sync(place)


def make_room(r, place):
    (place / "filler").unlink()
    sync(place)
    r.hits["disks filled"] += 1


def sync(place):
    # Removed blocks count as free only then on some file systems.
    directory = os.open(place, os.O_RDONLY)
    os.fsync(directory)
    os.close(directory)


def says_so(r, done):
    """Checks that a run that met a full disk says it."""
    if r.spoils("message"):
        done.stderr = ""
    text = f"status {done.returncode}: {done.stderr.strip()[-300:]}"
    r.check("message", done.returncode in (1, 5) and any(word in done.stderr for word in WORDS), text)


def files_of(r, server, count):
    names = [f"f{number}" for number in range(count)]
    for name in names:
        server.add(name, r.rng.choice([100_000, 1_500_000, 4_000_000]))
    return names, sum(len(server.now(name).body) for name in names)


def fetch(r, place):
    server = r.server()
    size = r.rng.choice([500_000, 3_000_000, 12_000_000])
    server.add("f.bin", size)
    files = place / "files"
    files.mkdir()
    command = ["fetch", server.url("f.bin"), "-d", files, "-s", r.rng.choice(["1", "4"]), *HASTE]
    if r.rng.random() < 0.5:
        fill(place, r.rng.randrange(size // 2))
        done = r.run(*command)
    else:
        # It fills while the bytes come. Where they were reserved there is room all the same.
        server.rate = size // 4
        process = r.start(*command)
        server.wait_for("f.bin")
        fill(place, r.rng.randrange(100_000))
        process.wait(120)
        done = r.ended(process)
    if done.returncode:
        says_so(r, done)
        r.check("exact", not (files / "f.bin").exists(), "there is a file of a run that failed")
    make_room(r, place)
    server.settle()
    if done.returncode:
        again = r.run(*command)
        if r.spoils("ends"):
            again.returncode = 5
        r.expect("ends", again)
    r.check_file(files / "f.bin", server.bodies("f.bin"))
    r.check_names(files, ["f.bin"])


def queue(r, place):
    server = r.server()
    names, size = files_of(r, server, 12)
    store, files = place / "queue.sqlite", place / "files"
    fill(place, r.rng.randrange(200_000, size))
    confirmed = []
    for name in names:
        done = r.run("queue", "add", "--queue", store, "-d", files, server.url(name))
        if done.returncode:
            says_so(r, done)
        else:
            confirmed.append(name)
    start = ["--queue", store, "--progress", "none", "--until-idle", *HASTE]
    runner = r.start("queue", "start", *start)
    # It waits for room, or ends because of it.
    r.has_ended(runner, r.rng.uniform(0.5, 6))
    make_room(r, place)
    rows = []
    if confirmed:
        runner.wait(120)
        waiting = [row["id"] for row in r.listed(store) if row["state"] != "completed"]
        done = r.run("queue", "start", *waiting, *start)
        if r.spoils("ends"):
            done.returncode = 1
        r.expect("ends", done)
        rows = r.listed(store)
    found = sorted(row["source"].rsplit("/", 1)[1] for row in rows)
    if found and r.spoils("lost"):
        found.pop()
    r.check("lost", found == sorted(confirmed), f"confirmed {sorted(confirmed)}, found {found}")
    for name in confirmed:
        r.check_file(files / name, server.bodies(name))
    if confirmed:
        r.check_names(files, confirmed)


def mirror(r, place):
    server = r.server()
    names, size = files_of(r, server, 12)
    fill(place, r.rng.randrange(200_000, size))
    copy = place / "copy"
    command = ["mirror", "--progress", "none", server.url(), copy, *HASTE]
    done = r.run(*command)
    if done.returncode:
        says_so(r, done)
    make_room(r, place)
    again = r.run(*command)
    if r.spoils("ends"):
        again.returncode = 1
    if r.expect("ends", again):
        for name in names:
            r.check_file(copy / name, server.bodies(name))
        own = [".segdl-mirror.sqlite", ".segdl-mirror.sqlite.lock", "SHA256SUMS", "segdl-mirror.jsonl"]
        r.check_names(copy, [*names, *own])
