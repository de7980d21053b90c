"""Kills `mirror --delete` while its source changes.

In the end the tree is exactly the source's, both proofs (SHA256SUMS and segdl-mirror.jsonl) are exact, and no part file
is left.
"""

import hashlib
import json

from .rounds import HASTE

CHECKS = ["ends", "tree", "leftovers", "exact", "SHA256SUMS", "segdl-mirror.jsonl", "named", "status"]
NEEDS_DISKS = False
OWN = {".segdl-mirror.sqlite", ".segdl-mirror.sqlite.lock", "SHA256SUMS", "segdl-mirror.jsonl"}


def obstacle(systems):
    return None


def attack(r):
    rng = r.rng
    server = r.server(
        rate=rng.choice([200_000, 2_000_000]),
        trouble=rng.choice([0, 0, 0.05, 0.2]),
        without=rng.choice([None, "ETag", "Last_Modified"]),
    )
    for _ in range(rng.randint(5, 80)):
        add(r, server)
    copy = r.home / "copy"
    command = ["mirror", "--delete", "--progress", "none", server.url(), copy, *HASTE]
    for number in range(rng.randint(2, 8)):
        process = r.start(*command)
        while not r.has_ended(process, rng.uniform(0, 0.3)):
            change(r, server)
            if rng.random() < 0.25 + 0.02 * number:
                r.kill_at(process, 0)
                break
        else:
            if r.spoils("status"):
                process.returncode = -11
            r.expect("status", process, (0, 1, 2, 3, 4))
        # A file that has its name is one of its versions at any time.
        for path in files(copy):
            name = str(path.relative_to(copy))
            if name not in OWN and name in server.versions and not path.name.endswith(".part"):
                r.check_file(path, server.bodies(name), "named")
    end(r, server, command, copy)


def add(r, server):
    depth = r.rng.choice([0, 0, 1, 2])
    folders = [f"d{r.rng.randint(0, 3)}" for _ in range(depth)]
    name = "/".join([*folders, f"f{r.rng.randint(0, 200)}.bin"])
    if server.now(name) is None:
        server.add(name, r.rng.choice([0, 1, 2_000, 60_000, 400_000, 2_500_000]))


def change(r, server):
    choice = r.rng.random()
    present = sorted(server.present)
    if choice < 0.3 or len(present) < 4:
        add(r, server)
    elif choice < 0.5:
        server.remove(r.rng.choice(present))
    else:
        server.change(r.rng.choice(present))
    r.hits["changes"] += 1


def files(directory):
    return [path for path in directory.rglob("*") if path.is_file()]


def end(r, server, command, copy):
    """Expects the source's tree after a whole run of a source that rests."""
    server.settle()
    # A run that was killed goes on with the listing that it has; the next one lists all.
    for _ in range(5):
        if r.run(*command).returncode == 0:
            break
    done = r.run(*command)
    if r.spoils("ends"):
        done.returncode = 1
    if not r.expect("ends", done):
        return
    for name in ("SHA256SUMS", "segdl-mirror.jsonl"):
        if r.spoils(name):
            (copy / name).write_text("".join((copy / name).read_text().splitlines(keepends=True)[1:]))
    present = {name: server.now(name).body for name in sorted(server.present)}
    parts = [path for path in files(copy) if ".part" in path.name]
    if r.spoils("leftovers"):
        parts.append(copy / "spoilt.part")
    r.check("leftovers", not parts, f"left behind {sorted(str(path.relative_to(copy)) for path in parts)}")
    for path in parts:
        path.unlink(missing_ok=True)
    r.check_names(copy, [*present, *OWN], "tree")
    for name, body in present.items():
        r.check_file(copy / name, [body])
    digests = {name: hashlib.sha256(body).hexdigest() for name, body in present.items()}
    sums = [line.split("  ", 1) for line in (copy / "SHA256SUMS").read_text().splitlines()]
    r.check("SHA256SUMS", [(name, digest) for digest, name in sums] == list(digests.items()), "is not the tree")
    rows = [json.loads(line) for line in (copy / "segdl-mirror.jsonl").read_text().splitlines()]
    found = [(row["path"], row["sha256"], row["size"], row["url"]) for row in rows]
    wanted = [(name, digests[name], len(body), server.url(name)) for name, body in present.items()]
    r.check("segdl-mirror.jsonl", found == wanted, f"is not the tree: {sorted(set(found) ^ set(wanted))[:3]}")
    r.hits["files"] += len(present)
