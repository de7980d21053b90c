"""Cuts the power while `verify --repair` repairs files.

Each file that was confirmed by status 0 is exact on the disk, no file under its name has a wrong byte that it did not
have before, and the next run ends exact and leaves nothing else.
"""

import hashlib

from . import cuts
from .rounds import HASTE

CHECKS = ["confirmed", "worse", "ends", "exact", "leftovers"]
NEEDS_DISKS = True
obstacle = cuts.obstacle
PIECE = 65536


def attack(r):
    rng = r.rng
    server = r.server(rate=rng.choice([0, 500_000, 4_000_000]))
    names = [f"f{number}" for number in range(8)]
    with cuts.disk(r) as disk:
        files = disk.place / "files"
        files.mkdir()
        damaged = {}
        for name in names:
            server.add(name, rng.choice([PIECE, 300_000, 1_500_000, 5_000_000]))
            damaged[name] = damage(server.now(name).body, rng)
            cuts.put(files / name, damaged[name])
            cuts.put(files / f"{name}.meta4", metalink(server, name))
        confirmed = []
        with cuts.cut(r, disk, 0.02, 2.5):
            for name in names:
                done = r.run("verify", "--repair", *HASTE, files / f"{name}.meta4")
                if done.returncode or disk.is_cut:
                    break
                confirmed.append(name)
                r.hits["confirmed"] += 1
        for name in names:
            right = server.bodies(name)
            # A file that is being repaired has no name.
            if (files / name).exists():
                r.check_file(files / name, [*right, damaged[name]], "worse")
        for name in confirmed:
            r.check_file(files / name, server.bodies(name), "confirmed")
        server.settle()
        done = r.run("verify", "--repair", *HASTE, *[files / f"{name}.meta4" for name in names])
        if r.spoils("ends"):
            done.returncode = 1
        if r.expect("ends", done):
            for name in names:
                r.check_file(files / name, server.bodies(name))
            r.check_names(files, [*names, *[f"{name}.meta4" for name in names]])


def damage(body, rng):
    body = bytearray(body)
    for _ in range(rng.randint(1, 12)):
        body[rng.randrange(len(body))] ^= 0xFF
    if rng.random() < 0.3:
        del body[rng.randint(1, len(body)) :]
    return bytes(body)


def metalink(server, name):
    body = server.now(name).body
    pieces = [hashlib.sha256(body[start : start + PIECE]).hexdigest() for start in range(0, len(body), PIECE)]
    hashes = "".join(f"<hash>{piece}</hash>" for piece in pieces)
    return (
        f'<metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="{name}"><size>{len(body)}</size>'
        f'<hash type="sha-256">{hashlib.sha256(body).hexdigest()}</hash>'
        f'<pieces type="sha-256" length="{PIECE}">{hashes}</pieces><url>{server.url(name)}</url></file></metalink>'
    ).encode()
