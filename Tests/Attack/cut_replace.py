"""Cuts the power while `fetch --if-exists replace` replaces files.

Each file is the old or the new one, never a mix, the new one if that was confirmed by status 0; and the next run ends
exact and leaves nothing else.
"""

from . import cuts
from .rounds import HASTE

CHECKS = ["confirmed", "mixed", "ends", "exact", "leftovers"]
NEEDS_DISKS = True
obstacle = cuts.obstacle


def attack(r):
    rng = r.rng
    server = r.server(rate=rng.choice([0, 0, 4_000_000]))
    names = [f"f{number}" for number in range(30)]
    with cuts.disk(r) as disk:
        files = disk.place / "files"
        files.mkdir()
        for name in names:
            server.add(name, rng.choice([1, 5_000, 200_000, 1_500_000, 5_000_000]))
            cuts.put(files / name, server.now(name).body)
            server.change(name)
        options = ["-d", files, "--if-exists", "replace", "-s", rng.choice(["1", "4", "auto"]), *HASTE]
        confirmed = []
        with cuts.cut(r, disk, 0.02, 2.5):
            for name in names:
                done = r.run("fetch", *options, server.url(name))
                if done.returncode or disk.is_cut:
                    break
                confirmed.append(name)
                r.hits["confirmed"] += 1
        for name in names:
            r.check_file(files / name, server.bodies(name), "mixed")
        for name in confirmed:
            r.check_file(files / name, server.bodies(name)[-1:], "confirmed")
        server.settle()
        done = r.run("fetch", *options, *map(server.url, names))
        if r.spoils("ends"):
            done.returncode = 1
        if r.expect("ends", done):
            for name in names:
                r.check_file(files / name, server.bodies(name)[-1:])
            r.check_names(files, names)
