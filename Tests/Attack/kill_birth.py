"""Kills at each writing system call in turn while a database is made, or an earlier one is brought up to date.

One round is the whole sweep of one database of a queue or a mirror. The next run works each time, and keeps the rows.
There are two sweeps: strace kills at system calls, but counts those of each thread by themselves, so it does not reach
all of them; the shim of the tests of faults kills at each call of the whole process.
"""

import collections
import os
import pathlib
import re
import shutil
import signal
import subprocess

from .births import BIRTHS

CHECKS = ["opens", "rows", "exact", "again", "swept"]
NEEDS_DISKS = False
CALLS = [
    "openat", "write", "pwrite64", "fdatasync", "fsync", "rename", "renameat", "renameat2", "unlink", "unlinkat",
    "ftruncate", "fallocate", "link", "linkat", "mkdir", "mkdirat",
]  # fmt: skip
SHIM = pathlib.Path(__file__).resolve().parents[1] / "Faults" / "Disk" / "shim.c"
# The names that the shim gives to the calls.
SHIMMED = "create,write,pwrite,fdatasync,fsync,rename,renameat2,unlink,ftruncate,fallocate,link,linkat,mkdir"
# strace counts the calls of each thread by themselves. With one thread in the pool it reaches nearly all of them.
ENVIRONMENT = {**os.environ, "LIBDISPATCH_COOPERATIVE_POOL_STRICT": "1"}


def obstacle(systems):
    missing = [name for name in ("strace", "gcc") if not shutil.which(name)]
    return f"{' and '.join(missing)} is not installed" if missing else None


def attack(r):
    name = r.rng.choice(sorted(BIRTHS))
    r.notes.append(f"sweeps of {name}")
    birth = BIRTHS[name](r)
    birth.prepare()
    log = r.home / "calls"
    done = strace(r, birth, ["-o", str(log)])
    if not r.check("opens", done.returncode == 0, f"{name}, not killed: {done.returncode}, {done.stderr[-300:]}"):
        return
    wanted, reached = 0, 0
    for call, threads in calls(log.read_text(errors="replace")).items():
        wanted += sum(map(len, threads))
        for number in sorted(set().union(*threads)):
            reached += kill(r, birth, name, call, number)
            if r.failures and r.spoiling:
                return
    r.hits["strace calls"] += wanted
    sweep(r, birth, name)
    # Less than that says that strace did not kill, as with --seccomp-bpf.
    r.check("swept", reached >= 0.3 * wanted, f"{name}: only {reached} kills by strace for {wanted} calls")


def sweep(r, birth, name):
    """Kills at each call of the process, by the shim."""
    library, log = r.home / "shim.so", r.home / "shim.log"
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", library, SHIM, "-ldl"], check=True)
    shim = {"LD_PRELOAD": library, "SHIM_DIRECTORY": birth.place, "SHIM_ONLY": SHIMMED, "SHIM_LOG": log}
    environment = {**os.environ, **{key: str(value) for key, value in shim.items()}}

    def run(**more):
        birth.prepare()
        command = [r.segdl, *map(str, birth.command)]
        done = subprocess.run(command, capture_output=True, timeout=120, check=False, env={**environment, **more})
        return done.returncode

    run()
    wanted, number = len(log.read_text().splitlines()), 1
    while run(SHIM_DO="kill-before", SHIM_AT=str(number)) == -signal.SIGKILL:
        r.hits["shim kills"] += 1
        birth.look(f"{name}, killed before call {number} of {wanted}: {log.read_text().splitlines()[-1]}")
        number += 1
    if r.spoils("swept"):
        number = 1
    r.hits["shim calls"] += wanted
    # The number of calls differs a little from run to run.
    r.check("swept", number - 1 >= 0.8 * wanted, f"{name}: only {number - 1} kills by the shim for {wanted} calls")


def kill(r, birth, name, call, number):
    """Kills one run at one call, and looks at the next one. Returns true if the call was reached."""
    birth.prepare()
    done = strace(r, birth, ["-o", "/dev/null", "-e", f"inject={call}:signal=SIGKILL:when={number}"])
    if done.returncode not in (-signal.SIGKILL, 128 + signal.SIGKILL):
        return False
    r.hits["strace kills"] += 1
    birth.look(f"{name}, killed at {call} {number}")
    return True


def strace(r, birth, options):
    calls = ",".join(f"?{call}" for call in CALLS)
    # Not with --seccomp-bpf, because strace 6.1 then injects only at a thread's first call.
    command = ["strace", "-f", "-e", f"trace={calls}", *options, r.segdl, *map(str, birth.command)]
    return subprocess.run(
        command, capture_output=True, text=True, errors="replace", timeout=120, check=False, env=ENVIRONMENT
    )


def calls(log):
    """The numbers of each call to kill at, for each thread: of openat only where a file is made."""
    count, found = collections.Counter(), collections.defaultdict(lambda: collections.defaultdict(set))
    for thread, call, arguments in re.findall(r"^(\d+) +(\w+)\((.*)", log, re.MULTILINE):
        count[thread, call] += 1
        if call != "openat" or "O_CREAT" in arguments:
            found[call][thread].add(count[thread, call])
    return {call: list(threads.values()) for call, threads in found.items()}
