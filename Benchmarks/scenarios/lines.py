"""Scenarios over a line with a delay."""

import os
import random
import subprocess
import time

from content import KIB, MIB, File, Many, One
from measure import Job, Setup
from scenario import Bar, Scenario
from servers import steady

ROUND_TRIP = 50  # milliseconds, where a scenario has only one
FILES = 2000
IN_DIRECTORY = 100
RATE = 2_000_000  # bytes per second of each connection, where they are limited


class Line:
    """A server behind a proxy that holds back every byte for half of `round_trip` milliseconds each way."""

    def __init__(self, proxy, server, round_trip):
        self.server, self.round_trip = server, round_trip / 1000
        self.process = subprocess.Popen(
            [proxy, "0", str(server.port), str(round_trip / 2)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().split()[1])

    def url(self, name):
        return self.server.url(name).replace(f":{self.server.port}/", f":{self.port}/")

    def settle(self):
        """A connection that the client has closed is open at the server until the end is across."""
        time.sleep(self.round_trip)

    def begin(self):
        self.settle()
        self.server.begin()

    def counts(self):
        self.settle()
        return self.server.counts()

    def stop(self):
        self.process.communicate()


def behind(bench, http2, round_trip, directives=""):
    server = bench.nginx(directives, authority=bench.authority if http2 else None, http2=http2)
    return bench.line(server, round_trip)


def small_sizes(bench):
    sizes = random.Random(7)
    return [sizes.randrange(1, 20 * KIB) for _ in range(bench.count(FILES))]


def listed(bench, files, line, name, digests=None):
    return bench.urls(name, [line.url(file.name) for file in files], digests)


def curl_at_its_best(tools, urls, http2):
    """With HTTP/2 one connection carries all; `--parallel-immediate` would open one for each file."""
    if not http2:
        return {label: made for label, made in tools.peers_for_list(urls, 8).items() if made[0] == "curl"}
    made = tools.peers_for_list(urls, 100).get("curl -Z --parallel-max 100")
    return {"curl -Z --http2 --parallel-max 100": [*made, "--http2"]} if made else {}


# MARK: Lists and trees

def small_list(http2, vouched=False):
    def prepare(bench):
        line = behind(bench, http2, ROUND_TRIP)
        files, tools = bench.files("line-list", small_sizes(bench)), bench.tools
        digests = [file.digest() for file in files] if vouched else None
        urls = listed(bench, files, line, "line-list", digests)
        commands = {"segdl": tools.segdl_list(urls), **curl_at_its_best(tools, urls, http2)}
        commands |= {
            label: command for label, command in tools.peers_for_list(urls, 8).items()
            if command[0] != "curl"}
        return Setup([Job(label, command, line, Many(files)) for label, command in commands.items()])
    return prepare


def mirror(http2):
    def prepare(bench):
        line, tools, files = behind(bench, http2, ROUND_TRIP, "autoindex on;"), bench.tools, []
        root = f"{bench.www}/line-tree"
        for number, size in enumerate(small_sizes(bench)):
            directory = f"d{number // IN_DIRECTORY:02}"
            os.makedirs(f"{root}/{directory}", exist_ok=True)
            files.append(File(root, f"{directory}/f{number:04}", size))
        url = line.url("line-tree/")
        commands = {"segdl mirror": tools.segdl_mirror(url), **tools.peers_for_mirror(url, 8)}
        return Setup([Job(label, command, line, Many(files)) for label, command in commands.items()])
    return prepare


def against_the_best(result, bar=1.05):
    ours, *others = result.contenders
    walls = {label: result.median(label, "wall") for label in others if not label.startswith("before: ")}
    walls = {label: wall for label, wall in walls.items() if wall is not None}
    if not walls:
        return []
    best = min(walls, key=walls.get)
    what = f"wall of `{ours}` against the best of the others: `{best}`"
    return [Bar(what, result.ratio(ours, best, "wall"), bar)]


# MARK: Several delays

def delays(bench):
    files, tools, made = bench.files("line-list", small_sizes(bench)), bench.tools, []
    for round_trip in (0, 10, 50, 200):
        some = files[:len(files) // 4] if round_trip == 200 else files
        for http2, version in ((False, "HTTP/1.1"), (True, "HTTP/2")):
            line = behind(bench, http2, round_trip)
            urls = listed(bench, some, line, f"line-{round_trip}-{'http2' if http2 else 'http1'}")
            commands = {"segdl": tools.segdl_list(urls)}
            for command in curl_at_its_best(tools, urls, http2).values():
                commands["curl -Z"] = command  # the last is the fastest over a line
            made += [
                Job(f"{label}, {version}, {round_trip} ms", command, line, Many(some))
                for label, command in commands.items()]
    return Setup(made)


def large(bench):
    limited, whole = bench.file("line-limited", 8 * MIB), bench.file("line-whole", 64 * MIB)
    servers = {
        "8 MiB, 2 MB/s by nginx": (bench.nginx(f"limit_rate {RATE};"), limited),
        "8 MiB, 2 MB/s evenly": (bench.paced([limited], steady(RATE)), limited),
        "64 MiB": (bench.nginx(), whole),
    }
    tools, made = bench.tools, []
    for title, (server, file) in servers.items():
        for round_trip in (50, 200):
            line = bench.line(server, round_trip)
            url = line.url(file.name)
            commands = {"segdl": tools.segdl(url)}
            commands |= {f"segdl -s {n}": tools.segdl(url, "-s", n) for n in ("4", "8")}
            commands["segdl -s 16"] = tools.segdl(
                url, "-s", "16", "-x", "16", "--max-connections-per-host", "16")
            if "aria2c" in tools.peers:
                commands["aria2c -x8"] = tools.aria2c(url, 8)
            made += [
                Job(f"{label}, {title}, {round_trip} ms", command, line, One(file))
                for label, command in commands.items()]
    return Setup(made)


def against_fixed(result):
    bars = []
    for label in result.contenders:
        if not label.startswith("segdl, "):
            continue
        where = label.removeprefix("segdl, ")
        walls = {n: result.median(f"segdl -s {n}, {where}", "wall") for n in (4, 8, 16)}
        walls = {n: wall for n, wall in walls.items() if wall is not None}
        if walls:
            best = min(walls, key=walls.get)
            what = f"wall of `auto` against the best fixed count, {where}: `-s {best}`"
            bars.append(Bar(what, result.ratio(label, f"segdl -s {best}, {where}", "wall"), 1.2))
    return bars


LINE = (
    "A proxy on the same machine holds back every byte for half of the round trip, each way. To connect "
    "costs the client nothing, as the kernel does that at once; TLS and every request cost their round "
    "trips. There is no slow start and no loss.")
SMALL = f"{FILES:,} files of 1 byte to 20 KiB from nginx, a round trip of {ROUND_TRIP} ms. {LINE}"
TREE = f"{SMALL} nginx lists {IN_DIRECTORY} files in each directory."
LIMITS = "segdl has its defaults, the others 8 files at a time"

SCENARIOS = [
    Scenario(
        "line-list-http1", "A list over 50 ms, HTTP/1.1", f"{SMALL} {LIMITS}.", small_list(False),
        against_the_best),
    Scenario(
        "line-list-vouched", "A list with digests over 50 ms, HTTP/1.1",
        f"{SMALL} {LIMITS}. The list has the SHA-256 of each file. segdl and aria2 verify it; curl and wget2 cannot.",
        small_list(False, vouched=True), lambda result: against_the_best(result, 0.35)),
    Scenario(
        "line-list-http2", "A list over 50 ms, HTTP/2 over TLS",
        f"{SMALL} {LIMITS}, but curl 100 streams. aria2 has no HTTP/2, and takes HTTP/1.1.",
        small_list(True), against_the_best),
    Scenario(
        "line-mirror-http1", "A tree over 50 ms, HTTP/1.1", f"{TREE} {LIMITS}.", mirror(False),
        against_the_best, "segdl mirror"),
    Scenario(
        "line-mirror-http2", "A tree over 50 ms, HTTP/2 over TLS", f"{TREE} {LIMITS}.", mirror(True),
        against_the_best, "segdl mirror"),
    # These two have no line in the overview: it cannot tell several delays apart.
    Scenario(
        "line-delays", "A list over several delays",
        f"The files of `line-list-http1`, a quarter of them at 200 ms. {LINE}", delays,
        lambda result: [], ""),
    Scenario(
        "line-large", "One file over 50 and 200 ms",
        "8 MiB from an nginx that gives 2 MB/s to each connection, but up to a second's worth at once; the "
        f"same from a server that gives it evenly; and 64 MiB from nginx without a limit. {LINE}", large,
        against_fixed, ""),
]
