"""Starts and kills several processes on one destination, each with its own `--if-exists`.

Each file under a final name is the old or the new one, whole; each status is clear; and the last process does what its
policy promises.
"""

from .promises import COMPLETE_IS_DONE
from .rounds import HASTE

CHECKS = ["exact", "status", "policy", "kept"]
NEEDS_DISKS = False
POLICIES = ["fail", "replace", "rename", "skip"]


def obstacle(systems):
    return None


def attack(r):
    rng = r.rng
    size = rng.choice([1, 200_000, 3_000_000, 8_000_000])
    server = r.server(rate=max(50_000, size // 4), trouble=rng.choice([0, 0, 0.2]))
    server.add("f.bin", size)
    files = r.home / "files"
    files.mkdir()
    old = []
    if rng.random() < 0.5:
        # Another file under the name, of the same length or another one.
        old = server.bodies("f.bin")
        server.change("f.bin")
        (files / "f.bin").write_bytes(old[0])
    contents = [*old, server.now("f.bin").body]
    known = known_policies(r)
    policies = rng.choice([[rng.choice(known)], known])
    processes = []
    for _ in range(rng.randint(3, 8)):
        processes.append(start(r, server, files, rng.choice(policies)))
        r.has_ended(processes[-1], rng.uniform(0, 0.3))
        if rng.random() < 0.4:
            r.kill_at(rng.choice(processes), rng.uniform(0, 0.3))
    for process in processes:
        if not r.kill_at(process, 60 if rng.random() < 0.5 else rng.uniform(0, 2)) and process.returncode != -9:
            if r.spoils("status"):
                process.returncode = 2
            # With trouble it may also use up its retries.
            r.expect("status", process, (0, 4, 5, 6) if not server.trouble else (0, 2, 3, 4, 5, 6))
    r.hits["processes"] += len(processes)
    named = sorted(path for path in files.iterdir() if ".part" not in path.name)
    for path in named:
        r.check_file(path, contents)
    if old and not {"replace", "update"} & set(policies):
        r.check_file(files / "f.bin", old, "kept")
    last(r, server, files, rng.choice(known), contents)


def known_policies(r):
    """The policies that this command has."""
    if "update" in r.run("fetch", "--help").stdout.split("--if-exists")[1][:200]:
        return [*POLICIES, "update"]
    r.notes.append("rounds without --if-exists update, which this command does not have")
    return POLICIES


def start(r, server, files, policy):
    return r.start("fetch", server.url("f.bin"), "-o", files / "f.bin", "--if-exists", policy, *HASTE)


def last(r, server, files, policy, contents):
    """Expects of a process that is alone what its policy promises."""
    server.settle()
    final, new = files / "f.bin", contents[-1]
    before = final.read_bytes() if final.exists() else None
    done = r.run("fetch", server.url("f.bin"), "-o", final, "--if-exists", policy, *HASTE)
    after = final.read_bytes() if final.exists() else None
    if r.spoils("policy"):
        done.returncode = 1
    text = f"{policy}, {'the new' if before == new else 'another' if before is not None else 'no'} file before: "
    text += f"status {done.returncode}, {done.stderr.strip()[-300:]}"
    if before is None or before == new and (COMPLETE_IS_DONE or policy != "fail"):
        right = done.returncode == 0 and after == new
    elif policy == "fail":
        right = done.returncode in ((0, 5) if before == new else (5,)) and after == before
    elif policy in ("replace", "update"):
        right = done.returncode == 0 and after == new
    elif policy == "skip":
        # It counts what is there as complete unless the length contradicts.
        right = after == before and (done.returncode == 0 or len(before) != len(new))
    else:
        found = [path.read_bytes() for path in files.iterdir() if ".part" not in path.name]
        right = done.returncode == 0 and after == before and new in found
    r.check("policy", right, text)
