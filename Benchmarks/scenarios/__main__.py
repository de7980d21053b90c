"""Measures segdl against its peers. `Scripts/bench` runs this."""

import argparse
import contextlib
import dataclasses
import datetime
import fnmatch
import os
import platform
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

import contenders
import growth
import lines
import lists
import mirrors
import page
import real
import single
from content import File
from measure import Machine, measure
from scenario import Skipped
from servers import Authority, Nginx, Paced

HERE = os.path.dirname(os.path.abspath(__file__))
RESULTS = os.path.dirname(HERE)
SCENARIOS = single.SCENARIOS + lists.SCENARIOS + mirrors.SCENARIOS + growth.SCENARIOS + lines.SCENARIOS
SCENARIOS += real.SCENARIOS
LEFT_OUT = 77  # this machine can do nothing of what was asked for


class Bench:
    """What scenarios are made with: files, servers, command lines. Servers live until the scenario ends."""

    def __init__(self, home, segdl, before, against, quick):
        self.before = before
        self.home, self.www, self.quick = home, f"{home}/www", quick
        self.scale = 1 / 8 if quick else 1
        os.mkdir(self.www)
        self.authority = Authority(home)
        for name in ("timed", "baseline", "delay", "wire"):
            strict = ["-O2", "-Wall", "-Wextra", "-Werror"]
            subprocess.run(["gcc", *strict, "-o", f"{home}/{name}", f"{HERE}/{name}.c"], check=True)
        self.machine = Machine(home, f"{home}/timed")
        self.tools = contenders.Contenders(segdl, f"{home}/baseline", against, self.authority)
        self.kept, self.servers = [], 0

    def size(self, size):
        return int(size * self.scale)

    def count(self, count):
        return int(count * self.scale)

    def file(self, name, size):
        return File(self.www, name, self.size(size))

    def files(self, name, sizes):
        return [File(self.www, f"{name}-{number:06}", size) for number, size in enumerate(sizes)]

    def urls(self, name, urls, digests=None):
        return contenders.Urls(f"{self.home}/{name}.txt", urls, digests)

    def keep(self, part):
        self.kept.append(part)
        return part

    def nginx(self, directives="", **more):
        self.servers += 1
        return self.keep(Nginx(f"{self.home}/nginx-{self.servers}", self.www, directives, **more))

    def paced(self, files, *rates, **more):
        return self.keep(Paced(files, *rates, **more))

    def line(self, server, round_trip):
        return self.keep(lines.Line(f"{self.home}/delay", server, round_trip))

    def release(self):
        while self.kept:
            self.kept.pop().stop()

    def run(self, scenario, runs):
        """The raw results of a scenario."""
        began = datetime.datetime.now().isoformat(timespec="seconds")
        raw = {"began": began, "load": round(os.getloadavg()[0], 2), "runs": runs, "quick": self.quick}
        try:
            setup = scenario.prepare(self)
            if self.before:
                setup.jobs = self.paired(setup.jobs)
            raw["ideal"] = setup.ideal
            if setup.far:
                raw["far"] = setup.far
            raw["commands"] = {job.label: self.plain(shlex.join(job.command)) for job in setup.jobs}
            raw["contenders"] = measure(self.machine, setup, runs, self.plain)
        except Skipped as skipped:
            raw["skipped"] = str(skipped)
        finally:
            self.release()
        return raw

    def paired(self, jobs):
        """After each job of segdl the same one with the earlier build."""
        pairs = []
        for job in jobs:
            pairs.append(job)
            if self.tools.binary in job.command:
                command = [self.before if word == self.tools.binary else word for word in job.command]
                pairs.append(dataclasses.replace(job, label=f"before: {job.label}", command=command))
        return pairs

    def plain(self, text):
        """What a command or a tool says, without a path and a port of this machine."""
        text = text.replace(self.tools.binary, "segdl").replace(f"{self.home}/", "")
        for server in self.kept:
            if hasattr(server, "port"):
                text = re.sub(rf"(?<=[: ]){server.port}\b", "PORT", text)
        return text


def first_line(*command):
    with contextlib.suppress(OSError):
        shown = subprocess.run(command, check=False, capture_output=True, text=True)
        return (shown.stdout or shown.stderr).splitlines()[0].strip()
    return "not installed"


def machine(home, segdl):
    with open("/proc/cpuinfo") as file:
        model = re.search(r"model name\s*: (.*)", file.read())
    release = platform.freedesktop_os_release()["PRETTY_NAME"]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1024**3
    return {
        "processor": f"{os.cpu_count()} × {model[1] if model else platform.machine()}",
        "memory": f"{memory:.0f} GiB",
        "system": f"{release}, Linux {platform.release()}",
        "file system": first_line("findmnt", "-n", "-o", "FSTYPE", "-T", home),
        "segdl": first_line(segdl, "--version"),
        "curl": first_line("curl", "--version"),
        "aria2": first_line("aria2c", "--version"),
        "axel": first_line("axel", "--version"),
        "wget2": first_line("wget2", "--version"),
        "rclone": first_line("rclone", "--version"),
        "nginx": first_line(shutil.which("nginx") or "/usr/sbin/nginx", "-v"),
        "gcc": first_line("gcc", "--version"),
        "Python": platform.python_version(),
    }


def arguments():
    parser = argparse.ArgumentParser(prog="Scripts/bench", description=__doc__)
    parser.add_argument(
        "--only", metavar="NAME", action="append", help="only this scenario, or those of a pattern; may be repeated")
    parser.add_argument("--runs", type=int, default=5, help="measured runs of each contender (default 5)")
    parser.add_argument("--list", action="store_true", help="list the scenarios")
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it works; keeps no results")
    parser.add_argument("--huge", action="store_true", help="also 64 GiB, if they fit on the disk")
    parser.add_argument(
        "--against", metavar="LIST", default=",".join(contenders.PEERS), help="peers, default: %(default)s")
    parser.add_argument("--segdl", metavar="PATH", help="this binary, instead of building one")
    parser.add_argument("--before", metavar="PATH", help="an earlier build of segdl, measured beside it")
    parser.add_argument("--work", metavar="DIR", help="where files are made and fetched to (default: as TMPDIR says)")
    parser.add_argument("--page", metavar="RAW", help="measure nothing; make the page of these raw results again")
    parsed = parser.parse_args()
    known = [scenario.name for scenario in SCENARIOS]
    if unknown := [pattern for pattern in parsed.only or [] if not fnmatch.filter(known, pattern)]:
        parser.error(f"no scenario {', '.join(unknown)}; --list shows them")
    parsed.only = parsed.only and {name for pattern in parsed.only for name in fnmatch.filter(known, pattern)}
    if unknown := set(parsed.against.split(",")) - set(contenders.PEERS) - {""}:
        parser.error(f"no peer {', '.join(sorted(unknown))}")
    return parsed


def main():
    asked = arguments()
    if asked.list:
        for scenario in SCENARIOS:
            print(f"{scenario.name:17} {scenario.title}{' (with --huge)' if scenario.optional else ''}")
        return
    if asked.page:
        page.write(os.path.dirname(os.path.abspath(asked.page)), page.load(asked.page), SCENARIOS)
        return

    segdl = os.path.abspath(asked.segdl)
    wanted = [scenario for scenario in SCENARIOS
              if (scenario.name in asked.only if asked.only else asked.huge or not scenario.optional)]
    # Ends of a run by a signal are to stop servers and to remove namespaces, too.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, frame: sys.exit(128 + number))
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most if most != resource.RLIM_INFINITY else 65536, most))
    today = f"{datetime.date.today()}-speed"
    home = tempfile.mkdtemp(prefix="segdl-bench-", dir=asked.work)
    try:
        before = os.path.abspath(asked.before) if asked.before else None
        bench = Bench(home, segdl, before, asked.against.split(","), asked.quick)
        raw = {"machine": machine(home, segdl), "scenarios": {}}
        # The one that wants most of the disk comes before others' files are there.
        for scenario in sorted(wanted, key=lambda scenario: not scenario.optional):
            print(f"{scenario.name}: {scenario.title}", file=sys.stderr, flush=True)
            raw["scenarios"][scenario.name] = bench.run(scenario, asked.runs)
            if not asked.quick:
                # After each scenario, so that a long run that is broken off leaves what it has.
                page.save(f"{RESULTS}/{today}", raw)
            print(page.section(scenario, raw["scenarios"][scenario.name], plot=False), flush=True)
        print(page.bars(SCENARIOS, raw))
        if not asked.quick:
            page.write(f"{RESULTS}/{today}", page.load(f"{RESULTS}/{today}/raw.json"), SCENARIOS)
    finally:
        shutil.rmtree(home)
    if any(failed(contender) for result in raw["scenarios"].values() for contender in result.get("contenders", [])):
        sys.exit("segdl failed in a scenario.")
    if all("skipped" in result for result in raw["scenarios"].values()):
        for name, result in raw["scenarios"].items():
            print(f"{name} is left out: {result['skipped']}", file=sys.stderr)
        sys.exit(LEFT_OUT)


def failed(contender):
    return contender["label"].startswith("segdl") and contender["failures"]


if __name__ == "__main__":
    main()
