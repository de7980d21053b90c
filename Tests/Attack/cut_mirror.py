"""Cuts the power while a mirror runs.

The next run ends with status 0, each file has its bytes, and no file that had its name is fetched again: its record was
to be on the disk first.
"""

from . import cuts

CHECKS = ["exact", "ends", "again"]
NEEDS_DISKS = True
obstacle = cuts.obstacle
FILES = 400


def attack(r):
    server = r.server()
    names = [str(number) for number in range(FILES)]
    for number, name in enumerate(names):
        server.add(name, 32 * (number % 97 + 1))
    listed = r.home / "list"
    listed.write_text("".join(f"{server.url(name)}\n" for name in names))
    with cuts.disk(r) as disk:
        copy = disk.place / "copy"
        with cuts.cut(r, disk, 0.02, 0.8):
            r.run("mirror", listed, copy)
        named = {path.name for path in copy.rglob("*") if path.name.isdigit()}
        before = len(server.log)
        done = r.run("mirror", listed, copy)
        if named and r.spoils("again"):
            server.log.append((min(named), 200))
        if r.spoils("ends"):
            done.returncode = 1
        if r.expect("ends", done):
            for name in names:
                if not r.check_file(copy / name, server.bodies(name)):
                    break
        again = named & {name for name, status in server.log[before:] if status in (200, 206)}
        r.check("again", not again, f"{len(again)} of {len(named)} files had their names, but no record")
        r.hits["files kept"] += len(named)
