"""Cuts the power while files are fetched one after the other.

Each file that was confirmed by status 0 is exact on the disk, a file that has its name is exact in any case, and the
next run ends exact and leaves nothing else.
"""

from . import cuts
from .promises import COMPLETE_IS_DONE
from .rounds import HASTE

CHECKS = ["confirmed", "named", "ends", "exact", "leftovers"]
NEEDS_DISKS = True
obstacle = cuts.obstacle


def attack(r):
    rng = r.rng
    server = r.server(rate=rng.choice([0, 0, 2_000_000, 8_000_000]))
    names = [f"f{number}" for number in range(60)]
    for name in names:
        server.add(name, rng.choice([0, 1, 5_000, 200_000, 1_500_000, 5_000_000]))
    with cuts.disk(r) as disk:
        files = disk.place / "files"
        options = ["-d", files, "-s", rng.choice(["1", "4", "auto"]), *HASTE]
        with cuts.cut(r, disk, 0.02, 2.5):
            confirmed = fetch(r, disk, server, names, options)
        if confirmed and r.spoils("confirmed"):
            (files / confirmed[0]).unlink()
        for name in confirmed:
            r.check_file(files / name, server.bodies(name), "confirmed")
        for name in names:
            if (files / name).exists():
                r.check_file(files / name, server.bodies(name), "named")
        server.settle()
        named = [name for name in names if (files / name).exists()]
        if named:
            # Complete files, one of which may have a manifest yet.
            r.expect("ends", r.run("fetch", *options, *map(server.url, named)), (0,) if COMPLETE_IS_DONE else (0, 1, 5))
        missing = [name for name in names if name not in named]
        done = r.run("fetch", *options, *map(server.url, missing or names[:1]))
        if r.spoils("ends"):
            done.returncode = 1
        if r.expect("ends", done, (0,) if missing or COMPLETE_IS_DONE else (0, 5)):
            for name in names:
                r.check_file(files / name, server.bodies(name))
            r.check_names(files, names)


def fetch(r, disk, server, names, options):
    """Fetches until the power is cut. Returns the names that were confirmed before."""
    confirmed, left = [], list(names)
    while left and not disk.is_cut:
        some = [left.pop(0) for _ in range(min(len(left), r.rng.choice([1, 1, 4])))]
        done = r.run("fetch", *options, *map(server.url, some))
        if done.returncode or disk.is_cut:
            break
        confirmed += some
        r.hits["confirmed"] += len(some)
    return confirmed
