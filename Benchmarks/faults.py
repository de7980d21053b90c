#!/usr/bin/env python3
"""Points segdl, aria2, axel and a loop of curl at servers that misbehave; kills them, cuts their power, fills the disk.

    Benchmarks/faults.py [--binaries DIR] [--repeat N] [--only TEXT] [--output FILE]

What each leaves under the final name is compared with the file byte by byte. Prints Markdown. All traffic stays on
127.0.0.1 and 127.0.0.2. Power cut and full disk need root (mount, losetup, unshare); without, their rows are left out.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import datetime
import json
import os
import platform
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

MB = 1_000_000
SIZE = 8_401_234
LIMIT = 40  # seconds for one run
AT_ONCE = 6  # runs; all are slowed down by the server, not by the machine

TOOLS = ["segdl", "aria2", "axel", "curl"]
# The switches for resuming are apart, as in one place they do harm.
COMMANDS = {
    "segdl": "segdl fetch -q -s 4 --low-speed-limit 10k --low-speed-time 5",
    "aria2": "aria2c --no-conf -q -x4 -s4 -k1M --file-allocation=falloc --max-tries=5 --retry-wait=1 --timeout=5"
    " --lowest-speed-limit=10K --auto-save-interval=1",
    "axel": "axel -q -n 4 -T 5",
    "curl": "curl -fsSL --speed-limit 10000 --speed-time 5",
}
RESUME = {"segdl": "", "aria2": "-c", "axel": "", "curl": "-C -"}
AXELRC = "reconnect_delay = 1\nsave_state_interval = 1\n"
LOOP = 'n=0; until {}; do n=$((n+1)); [ $n -lt 6 ] || exit 1; sleep 1; done'
DATA = {"segdl": "out.part", "aria2": "out", "axel": "out", "curl": "out"}
STATE = {"segdl": "out.part.segdl", "aria2": "out.aria2", "axel": "out.st", "curl": None}

# From good to bad. "gave up" is a refusal where another tool, or this one in another run, got the file.
CLASSES = {
    "exact": "exit 0 and the file, byte for byte",
    "exact, other name": "exit 0; the file is there, but under another name than asked for",
    "exact, but an error": "the file, and an exit status that says failure",
    "refused": "exit status not 0, nothing under the final name, and no tool got the file",
    "gave up": "the same, but another tool, or this one in another run, got the file",
    "refused, partial file": "as refused, but a partial file has the final name, with a state file beside it",
    "gave up, partial file": "as gave up, and with that partial file",
    "hung": f"not done after {LIMIT} s",
    "refused, unmarked partial file": "as refused, and nothing tells the partial file from a whole one",
    "gave up, unmarked partial file": "as gave up, and with that",
    "OVERWROTE": "a file of the user that was there before is changed or gone",
    "OUTSIDE": "a file was written outside the directory",
    "LEAKED": "the other host got the Authorization header",
    "WRONG, exit 0": "wrong bytes under the final name, and an exit status that says success",
}
RANK = {name: number for number, name in enumerate(CLASSES)}
Outcome = collections.namedtuple("Outcome", "name seconds note", defaults=[""])


class Server:
    def __init__(self, binary, address="127.0.0.1"):
        self.process = subprocess.Popen(
            [binary, "--address", address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.base = f"http://{address}:{self.process.stdout.readline().split()[1]}"
        self.truths, self.lock = {}, threading.Lock()

    def url(self, behaviour, case, size=SIZE, **parameters):
        return f"{self.base}/{behaviour}/{size}/out?" + urllib.parse.urlencode(
            {"case": case, **parameters}, quote_via=urllib.parse.quote)

    def ask(self, what, case):
        with urllib.request.urlopen(f"{self.base}/_/{what}?case={case}") as answer:
            return json.load(answer)

    def truth(self, size=SIZE, seed=1):
        with self.lock:
            if (size, seed) not in self.truths:
                with urllib.request.urlopen(f"{self.base}/plain/{size}/out?seed={seed}") as answer:
                    self.truths[size, seed] = answer.read()
            return self.truths[size, seed]

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


class Run:
    """One run of a tool in a session of its own, so that a signal reaches it and its children, and nobody else."""

    def __init__(self, bench, tool, url, work, output="-o out", resume=True, before=(), extra=""):
        command = " ".join([COMMANDS[tool], RESUME[tool] if resume else "", output, extra])
        command = command.replace("segdl", bench.segdl, 1) if tool == "segdl" else command
        command = f"{command} {shlex.quote(url)}"
        command = LOOP.format(command) if tool == "curl" else f"exec {command}"
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [*before, "sh", "-c", command], cwd=work, env=bench.environment, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def signal(self, number):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def kill(self):
        self.signal(signal.SIGKILL)
        self.process.wait()

    def wait(self, limit=LIMIT):
        """The exit status, or None if it had to be killed."""
        try:
            status = self.process.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
            self.kill()
        self.seconds = time.monotonic() - self.began
        return status


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def classify(tool, work, status, truths):
    content = read(f"{work}/out")
    if status is None:
        return "hung"
    if content in truths:
        return "exact" if status == 0 else "exact, but an error"
    if status == 0:
        others = [read(f"{work}/{name}") for name in os.listdir(work) if name not in ("out", DATA[tool])]
        return "exact, other name" if any(other in truths for other in others) else "WRONG, exit 0"
    if content is None:
        return "refused"
    marked = STATE[tool] and os.path.exists(f"{work}/{STATE[tool]}")
    return "refused, partial file" if marked else "refused, unmarked partial file"


def rate(tool, total):
    return total if tool == "curl" else total // 4


# MARK: Servers that misbehave

def fault(behaviour, versions=((SIZE, 1),), **parameters):
    """A row: one download from a misbehaving server, 4 MB/s for each connection."""
    def row(bench, tool, work, case):
        names = {name.replace("_", "-"): value for name, value in parameters.items()}
        run = Run(bench, tool, bench.server.url(behaviour, case, **{"rate": 4 * MB, **names}), work)
        status = run.wait()
        note = ""
        if "retry-after" in names:
            log = bench.server.ask("log", case)
            gaps = [after["started"] - entry["ended"] for entry, after in zip(log, log[1:])
                    if entry["status"] in (429, 503)]
            note = f"asked again after {min(gaps):.1f} s" if gaps else "did not ask again"
        return Outcome(classify(tool, work, status, [bench.server.truth(*v) for v in versions]), run.seconds, note)
    row.__doc__ = urllib.parse.urlencode(parameters).replace("_", "-")
    row.behaviour = behaviour
    return row


OLD, NEW, LONGER = (SIZE, 1), (SIZE, 2), (SIZE + 1000, 2)
SERVER_ROWS = {
    "nothing wrong": fault("plain"),
    "ranges ignored, always 200": fault("no-ranges"),
    "no length, ends by closing": fault("no-length"),
    "ranges, chunked": fault("chunked-ranges"),
    "ETag differs with each answer, bytes the same": fault("rotating-etag"),
    "206 begins 1 byte late": fault("wrong-start"),
    "206 begins 1 byte late, twice": fault("wrong-start", times=2),
    "206 ends 1 byte early": fault("wrong-end"),
    "206 states a total 1 too large": fault("wrong-total"),
    "206 without Content-Range": fault("no-content-range"),
    "206 with Content-Range: bytes banana": fault("garbled-content-range"),
    "206 with a negative Content-Range": fault("negative-content-range"),
    "206 is multipart/byteranges": fault("multipart"),
    "206 is multipart/byteranges, twice": fault("multipart", times=2),
    "206 and Content-Length longer than Content-Range": fault("contradicting-length", later=1),
    "every second range answered 200": fault("ranges-sometimes"),
    "only the first request gets ranges": fault("ranges-only-first"),
    "later answers say gzip and are not": fault("encoded"),
    "all answers say gzip and are not": fault("encoded", first=1),
    "body ends half way, 5 times": fault("short-body", times=5),
    "1000 bytes too many behind each body": fault("long-body"),
    "chunked, cut half way, always": fault("chunked-truncated"),
    "200, closed half way, always": fault("close-truncated"),
    "file changes while it runs: ETag": fault("changing", by="etag", after=2, versions=(OLD, NEW)),
    "file changes while it runs: Last-Modified": fault("changing", by="lm", after=2, versions=(OLD, NEW)),
    "file changes while it runs: total": fault("changing", by="total", after=2, versions=(OLD, LONGER)),
    "file changes while it runs: all of them": fault("changing", by="all", after=2, versions=(OLD, LONGER)),
    "file changes while it runs: no sign of it": fault("changing", by="none", after=2, versions=(OLD, NEW)),
    "connection reset, 3 times": fault("reset", times=3, at=200000),
    "connection silent, 3 times": fault("stall", times=3, at=200000),
    "connection silent before the head, once": fault("stall-head"),
    "connection closed before the head, 3 times": fault("hang-up-before-head", times=3),
    "every third later request gets 1000 B/s": fault("drip", every=3),
    "503, Retry-After 3, twice": fault("status", code=503, retry_after=3, times=2),
    "429, Retry-After 3, twice": fault("status", code=429, retry_after=3, times=2),
    "503 beyond 2 connections": fault("limit", k=2, how=503, rate=2 * MB),
    "429 beyond 2 connections": fault("limit", k=2, how=429, rate=2 * MB),
    "reset beyond 2 connections": fault("limit", k=2, how="reset", rate=2 * MB),
    "silence beyond 2 connections": fault("limit", k=2, how="silence", rate=2 * MB),
    "redirect to a signed URL, good for one request": fault("signed", uses=1),
    "redirect to a signed URL, good for two requests": fault("signed", uses=2),
}


# MARK: Names and credentials

def redirected(credentials):
    """Redirects to another host; does that one see the Authorization header?"""
    def row(bench, tool, work, case):
        to = bench.other.url("plain", case)
        url = bench.server.url("redirect", case, to=to)
        if not credentials:
            url = url.replace("//", "//me:secret@", 1)
        elif tool not in credentials:
            return None
        run = Run(bench, tool, url, work, extra=credentials.get(tool, ""))
        status = run.wait()
        heads = json.dumps([entry["headers"] for entry in bench.other.ask("log", case)]).lower()
        name = classify(tool, work, status, [bench.server.truth()])
        return Outcome("LEAKED" if "authorization" in heads else name, run.seconds)
    return row


# Authorization as a header that was given by hand, and by the switches that are for it.
BY_HEADER = {tool: '-H "Authorization: Bearer secret"' for tool in ["segdl", "axel", "curl"]}
BY_HEADER["aria2"] = '--header="Authorization: Bearer secret"'
BY_OPTION = {"segdl": "--user me:secret", "aria2": "--http-user=me --http-passwd=secret", "curl": "-u me:secret"}


def named(value, existing=None, resume=True):
    """The server gives the name. The run is in a directory `in`; nothing may appear beside it."""
    def row(bench, tool, work, case):
        os.mkdir(f"{work}/in")
        if existing:
            with open(f"{work}/in/{existing}", "w") as file:
                file.write("mine\n" * 200)
        url = bench.server.url("plain", case, disposition=value.replace("WORK", work))
        # curl takes either a name from the server or `-C -`.
        output = {"curl": "-O" if resume and existing == "out" else "-OJ"}.get(tool, "")
        run = Run(bench, tool, url, f"{work}/in", output=output, resume=resume and output != "-OJ")
        status = run.wait()
        names = sorted(os.listdir(f"{work}/in"))
        exact = [name for name in names if read(f"{work}/in/{name}") == bench.server.truth()]
        note = "as " + ", ".join(f"`{name.replace(work.replace('/', '_'), '_…')}`" for name in exact) if exact else ""
        if os.listdir(work) != ["in"]:
            return Outcome("OUTSIDE", run.seconds)
        if existing and read(f"{work}/in/{existing}") != b"mine\n" * 200:
            return Outcome("OVERWROTE", run.seconds, f"exit {status}")
        if status is None:
            return Outcome("hung", run.seconds)
        if status == 0:
            return Outcome("exact" if exact else "WRONG, exit 0", run.seconds, note)
        return Outcome("exact, but an error" if exact else "refused", run.seconds, note)
    return row


NAME_ROWS = {
    "redirect to another host, header by option": redirected(BY_HEADER),
    "redirect to another host, user and password by option": redirected(BY_OPTION),
    "redirect to another host, user and password in the URL": redirected({}),
    "server names it `../evil`": named('attachment; filename="../evil"'),
    "server names it `/…/evil`, absolute": named('attachment; filename="WORK/evil"'),
    "server names it like an existing file": named('attachment; filename="notes"', existing="notes"),
    "server names it like an existing file, without the switches for resuming": named(
        'attachment; filename="notes"', existing="notes", resume=False),
    "URL names it like an existing file": named("attachment", existing="out"),
    "URL names it like an existing file, without the switches for resuming": named(
        "attachment", existing="out", resume=False),
}


# MARK: What happens on this side

def killed(bench, tool, work, case):
    """20 kills at random moments of a download of 25 s, resumed each time."""
    size = 100 * MB
    url = bench.server.url("plain", case, size=size, rate=rate(tool, 4 * MB))
    began, kills, status = time.monotonic(), 0, None
    while kills < 20 and status is None:
        run = Run(bench, tool, url, work)
        try:
            status = run.process.wait(random.uniform(0.3, 2.0))
        except subprocess.TimeoutExpired:
            run.kill()
            kills += 1
    if status is None:
        status = Run(bench, tool, url, work).wait(2 * LIMIT)
    name = classify(tool, work, status, [bench.server.truth(size)])
    sent = bench.server.ask("peak", case)["bytesSent"] / size
    return Outcome(name, time.monotonic() - began, f"{kills} kills, {sent:.0%} of the file sent")


def kept(bench, case, before, name, size):
    """How much of the file a resume did not fetch again, which says something only if the file is right."""
    sent = bench.server.ask("peak", case)["bytesSent"] - before
    return f"{max(0, 1 - sent / size):.0%} not fetched again" if name.startswith("exact") else ""


def resumed(bench, tool, work, case, url, meddle, truth, resume=True):
    """Kills a run half way, meddles, and runs the same command again."""
    run = Run(bench, tool, url, work)
    time.sleep(2.3)
    run.kill()
    before = bench.server.ask("peak", case)["bytesSent"]
    if meddle(work) is False:
        return None
    run = Run(bench, tool, url, work, resume=resume)
    status = run.wait()
    name = classify(tool, work, status, [truth])
    return Outcome(name, run.seconds, kept(bench, case, before, name, len(truth)))


def changed(by, version):
    """The remote file changes between a killed run and its resume."""
    def row(bench, tool, work, case):
        url = bench.server.url("changing", case, by=by, after=50, rate=rate(tool, 2 * MB))

        def meddle(_):
            for _ in range(60):
                urllib.request.urlopen(urllib.request.Request(url, method="HEAD")).close()
        return resumed(bench, tool, work, case, url, meddle, bench.server.truth(*version))
    return row


def dishonest(behaviour, **parameters):
    """A killed run is resumed from a server whose answers to ranges are wrong."""
    def row(bench, tool, work, case):
        url = bench.server.url(behaviour, case, rate=rate(tool, 2 * MB), **parameters)
        return resumed(bench, tool, work, case, url, lambda _: True, bench.server.truth())
    return row


def damaged(how, resume=True):
    """What a killed run left is damaged before its resume."""
    def row(bench, tool, work, case):
        def meddle(work):
            data = f"{work}/{DATA[tool]}"
            length = os.path.getsize(data)
            if how == "replaced":
                with open(f"{work}/new", "wb") as file:
                    file.write(random.randbytes(length))
                os.rename(f"{work}/new", data)
            elif how == "in place":
                with open(data, "r+b") as file:
                    file.write(random.randbytes(length))
            elif how == "truncated":
                os.truncate(data, length // 8)
            elif how == "deleted":
                os.unlink(data)
            elif how == "stateless":
                if STATE[tool] is None:
                    return False
                os.unlink(f"{work}/{STATE[tool]}")
        url = bench.server.url("plain", case, rate=rate(tool, 2 * MB))
        return resumed(bench, tool, work, case, url, meddle, bench.server.truth(), resume)
    return row


def together(bench, tool, work, case):
    """Two processes fetch the same file into the same directory, the second 0.5 s after the first."""
    url = bench.server.url("plain", case, rate=rate(tool, 2 * MB))
    runs = [Run(bench, tool, url, work)]
    time.sleep(0.5)
    runs.append(Run(bench, tool, url, work))
    statuses = [run.wait() for run in runs]
    if None in statuses:
        name = "hung"
    else:
        name = classify(tool, work, 0 if 0 in statuses else 1, [bench.server.truth()])
    return Outcome(name, runs[0].seconds, f"exits {statuses[0]} and {statuses[1]}")


def shell(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@contextlib.contextmanager
def mounted(image, place):
    """A loop device on an image, with its file system mounted."""
    device = shell("losetup", "-f", "--show", image)
    try:
        os.makedirs(place, exist_ok=True)
        shell("mount", "-t", "ext4", device, place)
        try:
            yield device
        finally:
            for _ in range(50):
                if subprocess.run(["umount", place], capture_output=True).returncode == 0:
                    break
                time.sleep(0.1)
    finally:
        shell("losetup", "-d", device)


def power_cut(after):
    """Copies the disk of a stopped download as it is at that moment, and resumes from the copy, with another boot
    identity. The copy counts if the device had no write meanwhile, so it is of one moment."""
    def row(bench, tool, work, case):
        size = 48 * MB
        image, copy = f"{work}.image", f"{work}.copy"
        url = bench.server.url("plain", case, size=size, rate=rate(tool, 4 * MB))
        try:
            with open(image, "wb") as file:
                file.truncate(200 * MB)
            shell("mkfs.ext4", "-q", "-F", image)
            with mounted(image, work) as device:
                os.mkdir(f"{work}/in")
                shell("sync", "-f", work)
                writes = f"/sys/block/{os.path.basename(device)}/stat"
                run = Run(bench, tool, url, f"{work}/in")
                try:
                    time.sleep(after)
                    run.signal(signal.SIGSTOP)
                    while True:
                        seen = read(writes)
                        shell("cp", "--sparse=always", image, copy)
                        if read(writes) == seen:
                            break
                finally:
                    run.kill()
            before = bench.server.ask("peak", case)["bytesSent"]
            with mounted(copy, work):
                other_boot = ["unshare", "-m", "sh", "-c",
                              f"mount --bind {bench.boot} /proc/sys/kernel/random/boot_id && exec \"$@\"", "sh"]
                run = Run(bench, tool, url, f"{work}/in", before=other_boot)
                status = run.wait()
                name = classify(tool, f"{work}/in", status, [bench.server.truth(size)])
                return Outcome(name, run.seconds, kept(bench, case, before, name, size))
        finally:
            for path in image, copy:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path)
    return row


def full_disk(bench, tool, work, case):
    """A file system of 4 MiB for a file of 8 MB; then room is made, and the same command run again."""
    url = bench.server.url("plain", case, rate=rate(tool, 4 * MB))
    shell("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", work)
    try:
        first = Run(bench, tool, url, work)
        name = classify(tool, work, first.wait(), [bench.server.truth()])
        shell("mount", "-o", "remount,size=64m", work)
        again = classify(tool, work, Run(bench, tool, url, work).wait(), [bench.server.truth()])
        return Outcome(name if name.startswith("WRONG") else again, first.seconds, f"full: {name}; with room: {again}")
    finally:
        shell("umount", work)


LOCAL_ROWS = {
    "20 times kill -9 at random moments, resumed": killed,
    "remote file changed before the resume: ETag": changed("etag", NEW),
    "remote file changed before the resume: Last-Modified": changed("lm", NEW),
    "remote file changed before the resume: total": changed("total", LONGER),
    "remote file changed before the resume: no sign of it": changed("none", NEW),
    "killed; each range then begins 1 byte late": dishonest("wrong-start"),
    "killed; each range is then multipart": dishonest("multipart"),
    "killed; ranges are then ignored, 200": dishonest("ranges-only-first"),
    "unfinished data replaced by another file": damaged("replaced"),
    "unfinished data overwritten in place": damaged("in place"),
    "unfinished data cut to an eighth": damaged("truncated"),
    "unfinished data deleted": damaged("deleted"),
    "state file deleted": damaged("stateless"),
    "state file deleted, without the switches for resuming": damaged("stateless", resume=False),
    "two processes at the same time": together,
    "power cut after 3 s": power_cut(3),
    "power cut after 6 s": power_cut(6),
    "power cut after 9 s": power_cut(9),
    "disk full, then room": full_disk,
}
ROOT_ROWS = [label for label in LOCAL_ROWS if label.startswith(("power", "disk"))]


class Bench:
    def __init__(self, binaries, home):
        self.segdl = f"{binaries}/segdl"
        self.server = Server(f"{binaries}/TestServer")
        self.other = Server(f"{binaries}/TestServer", "127.0.0.2")
        self.home, self.boot = home, f"{home}/boot"
        self.environment = {"PATH": os.environ["PATH"], "HOME": home, "LANG": "C"}
        self.serial, self.lock = 0, threading.Lock()
        with open(f"{home}/.axelrc", "w") as file:
            file.write(AXELRC)
        with open(self.boot, "w") as file:
            file.write("00000000-1111-2222-3333-444444444444\n")

    def attempt(self, row, tool):
        with self.lock:
            self.serial += 1
            case = f"c{self.serial}"
        work = f"{self.home}/{case}"
        os.mkdir(work)
        try:
            return row(self, tool, work, case)
        finally:
            shutil.rmtree(work)

    def stop(self):
        self.server.stop()
        self.other.stop()


# MARK: The page

INTRO = """# Faults: segdl, aria2, axel and curl, {date}

Made by `Benchmarks/faults.py`, with the servers of `Tests/TestServer`. Each file is compared with the original byte by
byte. {cores} cores, {memory:.0f} GiB, Linux {kernel}, {system}.
{versions}.

```
{commands}
```

- axel's `.axelrc` says `{axelrc}`.
- curl, the single-stream baseline, is run up to 6 times, 1 s apart, until it says success.
- Names from a server or a URL: without `-o out`; curl with `-OJ` or `-O`. segdl has its default
  `--if-exists fail`.
- `-c` of aria2 and `-C -` of curl are the switches for resuming: they go on with any file of that name. Rows where that
  does harm come once more without.
- A file has {size} bytes unless said otherwise, a run {limit} s. A cell is the worst of {repeat} runs, with how many
  of them ended so if not all; its seconds are the longest. Server and clients share the machine, and {at_once} runs go
  on at a time, so seconds are rough.
- A power cut is a copy of an ext4 disk (loop device) taken while the download is stopped, and resumed with another boot
  identity: it has what the kernel had written until then. It is not a real disk's cache that is lost.
- Servers that lie do so for ranges that start above 0, unless it says all: one stream from the start, as curl's, never
  meets the lie.
"""

def settle(results):
    """A refusal is giving up if the file could be had."""
    possible = any(o.name.startswith("exact") for outcomes in results.values() for o in outcomes)
    for tool, outcomes in results.items():
        results[tool] = [o._replace(name=o.name.replace("refused", "gave up")) if possible else o for o in outcomes]


def worst(outcomes):
    return max(outcomes, key=lambda o: (RANK[o.name], o.seconds)) if outcomes else None


def cell(outcomes):
    bad = worst(outcomes)
    if bad is None:
        return "–"
    count = sum(o.name == bad.name for o in outcomes)
    name = f"**{bad.name}**" if RANK[bad.name] >= RANK["OVERWROTE"] else bad.name
    text = name + (f" ({count} of {len(outcomes)})" if count < len(outcomes) else "")
    text += f", {bad.seconds:.1f} s" if bad.name.startswith("exact") else ""
    return text + (f"; {bad.note}" if bad.note else "")


def table(title, rows, results):
    print(f"\n## {title}\n\n| | {' | '.join(TOOLS)} |\n|{'---|' * (len(TOOLS) + 1)}")
    for label, row in rows.items():
        if label in results:
            how = f" `{row.behaviour}{'?' * bool(row.__doc__)}{row.__doc__}`" if hasattr(row, "behaviour") else ""
            print(f"| {label}{how} | {' | '.join(cell(results[label][tool]) for tool in TOOLS)} |")


def page(results, repeat, groups, segdl_version):
    memory = int(open("/proc/meminfo").readline().split()[1]) / 1024 / 1024
    versions = [segdl_version]
    versions += [shell(tool, "--version").splitlines()[0].split("(")[0].strip() for tool in ["aria2c", "axel", "curl"]]
    commands = [" ".join(f"{COMMANDS[tool]} {RESUME[tool]} -o out URL".split()) for tool in TOOLS]
    print(INTRO.format(
        date=datetime.date.today(), cores=os.cpu_count(), memory=memory, kernel=platform.release().split("-")[0],
        system=distribution(), versions=", ".join(versions), commands="\n".join(commands), at_once=AT_ONCE,
        axelrc=AXELRC.strip().replace("\n", "`, `"), size=SIZE, limit=LIMIT, repeat=repeat))
    print("| outcome | means |\n|---|---|")
    for name, meaning in CLASSES.items():
        print(f"| {name} | {meaning} |")

    print(f"\n## Summary\n\nRows by their worst outcome:\n\n| | {' | '.join(TOOLS)} |\n|{'---|' * (len(TOOLS) + 1)}")
    final = {label: {tool: worst(row[tool]) for tool in TOOLS} for label, row in results.items()}
    counts = {tool: collections.Counter(row[tool].name for row in final.values() if row[tool]) for tool in TOOLS}
    for name in CLASSES:
        if any(counts[tool][name] for tool in TOOLS):
            print(f"| {name} | {' | '.join(str(counts[tool][name]) for tool in TOOLS)} |")
    print(f"| of rows | {' | '.join(str(sum(counts[tool].values())) for tool in TOOLS)} |")

    worse, later = [], []
    for label, row in final.items():
        mine, others = row["segdl"], [(tool, row[tool]) for tool in TOOLS[1:] if row[tool]]
        better = [f"{tool}: {o.name}" for tool, o in others if RANK[o.name] < RANK[mine.name]]
        quicker = [f"{tool} {o.seconds:.1f} s" for tool, o in others
                   if o.name == mine.name == "exact" and mine.seconds > max(2 * o.seconds, o.seconds + 1)]
        worse += [f"- {label}: {mine.name}; {', '.join(better)}."] if better else []
        later += [f"- {label}: {mine.seconds:.1f} s; {', '.join(quicker)}."] if quicker else []
    print("\n### Where segdl is worse than another\n")
    print("\n".join(worse) or "Nowhere.")
    print("\n### Where segdl's file is exact, but comes more than 1 s later than another's "
          "and takes more than twice as long\n")
    print("\n".join(later) or "Nowhere.")
    for title, rows in groups.items():
        table(title, rows, results)


def distribution():
    with open("/etc/os-release") as file:
        return next(line.split("=")[1].strip().strip('"') for line in file if line.startswith("PRETTY_NAME"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binaries", help="directory with segdl and TestServer (default: swift build --show-bin-path)")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", help="only the rows with this text in their label", default="")
    parser.add_argument("--output", help="write the page there, too")
    arguments = parser.parse_args()
    binaries = os.path.abspath(arguments.binaries or shell("swift", "build", "--show-bin-path"))
    segdl_version = shell(f"{binaries}/segdl", "--version")
    groups = {"The server": SERVER_ROWS, "Names and credentials": NAME_ROWS, "This side": LOCAL_ROWS}
    rows = {label: row for group in groups.values() for label, row in group.items()
            if arguments.only in label and (os.getuid() == 0 or label not in ROOT_ROWS)}

    home = tempfile.mkdtemp()
    bench = Bench(binaries, home)
    results = {label: {tool: [] for tool in TOOLS} for label in rows}
    try:
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            jobs = {pool.submit(bench.attempt, row, tool): (label, tool)
                    for label, row in rows.items() for tool in TOOLS for _ in range(arguments.repeat)}
            for job in concurrent.futures.as_completed(jobs):
                label, tool = jobs[job]
                outcome = job.result()
                if outcome:
                    results[label][tool].append(outcome)
                    print(f"{label}: {tool}: {outcome}", file=sys.stderr)
    finally:
        bench.stop()
        shutil.rmtree(home)
    for row in results.values():
        settle(row)
    if arguments.output:
        with open(arguments.output, "w") as file, contextlib.redirect_stdout(file):
            page(results, arguments.repeat, groups, segdl_version)
    page(results, arguments.repeat, groups, segdl_version)


if __name__ == "__main__":
    main()
