"""Damages part files and manifests between two runs.

No run crashes; with `--checksum` the file under the final name is always exact, and a run that is refused is followed
by one that ends exact.
"""

import hashlib
import json
import os

from .promises import FINDS_CHANGED_BYTES
from .rounds import HASTE, flip

CHECKS = ["status", "exact", "ends"]
NEEDS_DISKS = False
TRIES = 5


def obstacle(systems):
    return None


def attack(r):
    rng = r.rng
    size = rng.choice([1_200_000, 3_000_000, 9_000_000])
    server = r.server(rate=size // 12)
    server.add("f.bin", size)
    server.add("g.bin", size)
    files = r.home / "files"
    body = server.now("f.bin").body
    has_checksum = rng.random() < 0.6
    common = ["-d", files, "-s", rng.choice(["1", "4"]), *HASTE]
    if has_checksum:
        common += ["--checksum", "sha256=" + hashlib.sha256(body).hexdigest()]
    command = ["fetch", server.url("f.bin"), *common]
    for _ in range(rng.randint(1, 3)):
        if not r.kill_at(r.start(*command), rng.uniform(0.2, 1.5)):
            break
        for _ in range(rng.randint(1, 2)):
            harm(r, server, files)
    final = files / "f.bin"
    server.settle()
    # Without a checksum, a changed byte of a part file may not be found.
    is_sure = has_checksum or FINDS_CHANGED_BYTES
    statuses = []
    for _ in range(TRIES):
        done = r.run(*command)
        if r.spoils("status"):
            done.returncode = -6
        r.expect("status", done, (0, 2, 4, 5))
        statuses.append(done.returncode)
        if final.exists() and (is_sure or r.spoiling == "exact"):
            r.check_file(final, [body])
        if final.exists():
            break
        if "move it away" in done.stderr or "remove it" in done.stderr:
            # Something else is in the way, and is left alone, as it should be.
            for path in files.iterdir():
                path.unlink()
    if r.spoils("ends"):
        final.unlink()
    r.check("ends", final.exists(), f"no file after runs with {statuses}: {done.stderr.strip()[-300:]}")
    if not is_sure:
        r.notes.append(f"without checksum: {'exact' if final.read_bytes() == body else 'not exact'}")


def harm(r, server, files):
    """Does one harm to a part file or a manifest."""
    part, manifest = files / "f.bin.part", files / "f.bin.part.segdl"
    if not part.exists() or not manifest.exists():
        return
    target = r.rng.choice([part, manifest])
    harms = [flip_bit, zero, truncate, grow, remove, swap, backdate]
    if target == manifest:
        harms += [forge, forge, tear]
    chosen = r.rng.choice(harms)
    if target == part and chosen in (flip_bit, zero) and r.rng.random() < 0.5:
        # As a faulty disk does it: no date tells.
        dates = os.stat(part)
        chosen(r, target, server)
        os.utime(part, ns=(dates.st_atime_ns, dates.st_mtime_ns))
    else:
        chosen(r, target, server)
    r.hits["harms"] += 1


def flip_bit(r, path, server):
    flip(path, r.rng)


def zero(r, path, server):
    with open(path, "r+b") as file:
        file.seek(r.rng.randrange(max(1, path.stat().st_size)) // 4096 * 4096)
        file.write(bytes(4096))


def truncate(r, path, server):
    os.truncate(path, r.rng.randint(0, path.stat().st_size))


def grow(r, path, server):
    os.truncate(path, path.stat().st_size + r.rng.choice([1, 4096, 100_000]))


def remove(r, path, server):
    path.unlink()


def swap(r, path, server):
    """Puts the same file of another download in its place."""
    other = r.home / "other"
    process = r.start("fetch", server.url("g.bin"), "-o", other / "f.bin", *HASTE)
    r.kill_at(process, r.rng.uniform(0.3, 0.8))
    if (other / path.name).exists():
        os.replace(other / path.name, path)


def backdate(r, path, server):
    os.utime(path, (1577836800, 1577836800))


def tear(r, path, server):
    """Keeps the first line only, or all but it."""
    lines = path.read_bytes().split(b"\n", 1)
    path.write_bytes(r.rng.choice(lines))


def forge(r, path, server):
    """A manifest that claims every byte, or bytes that are not there, under a right digest."""
    lines = path.read_bytes().split(b"\n")
    try:
        state = json.loads(lines[1])
    except (ValueError, IndexError):
        return
    total = state["total"]
    ranges = r.rng.choice([[[0, total]], [[0, total + 1]], [[-5, 7]], [[total, 0]], [[0, 2**62]], [[5, 9], [7, 12]]])
    state["written"] = state["durable"] = ranges
    line = json.dumps(state, separators=(",", ":"), sort_keys=True).encode() + b"\n"
    header = f"segdl-manifest 1 {hashlib.sha256(line).hexdigest()}\n".encode()
    path.write_bytes(header + line)
