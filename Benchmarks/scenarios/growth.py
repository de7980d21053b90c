"""Scenarios of growth: connections, bytes, and what a start costs."""

import shutil

from content import GIB, KIB, Nothing, One, Pattern
from measure import Job, Setup
from scenario import Bar, Scenario, Skipped
from servers import steady

COUNTS = [16, 256, 1024]


def connections(bench):
    server, file = bench.nginx(), bench.file("growing", 2 * GIB)
    url = server.url(file.name)
    return Setup([
        Job(f"segdl -s {n}", bench.tools.segdl(url, "-s", str(n), "-x", str(n)), server, One(file)) for n in COUNTS
    ])


def connections_bars(result):
    bars = [
        Bar(f"CPU of {count} connections against 16", result.ratio(f"segdl -s {count}", "segdl -s 16", "cpu"), bar)
        for count, bar in ((256, 1.3), (1024, 1.6))
    ]
    return bars + [
        Bar(f"peak memory with {n} connections", result.median(f"segdl -s {n}", "peak"), 40 + 0.5 * n, unit=" MiB")
        for n in COUNTS
    ]


def huge(bench):
    sizes = [GIB, bench.size(64 * GIB)]
    free = shutil.disk_usage(bench.home).free
    if free < sizes[1] + 2 * GIB:
        raise Skipped(f"{sizes[1] // GIB} GiB do not fit on the disk, which has {free // GIB} GiB")
    made = []
    for size in sizes:
        file = Pattern("computed", size)
        server = bench.paced([file], steady(None))
        made.append(Job(
            f"segdl -s 4, {size // GIB} GiB", bench.tools.segdl(server.url(file.name), "-s", "4"), server, One(file)))
    made[1].runs = 1
    return Setup(made, limit=3600)


def huge_bars(result):
    little, much = (result.per_gib(label) for label in result.contenders)
    return [Bar("CPU per GiB of 64 GiB against 1 GiB (\"the same\": within a tenth)",
                much / little if little and much else None, 1.1)]


def version(bench):
    commands = {tool: [tool, "--version"] for tool in bench.tools.peers if tool != "baseline"}
    commands["segdl"] = [bench.tools.binary, "--version"]
    return Setup([Job(label, command, None, Nothing()) for label, command in commands.items()], repeat=5)


def tiny(bench):
    server, file = bench.nginx(), bench.files("tiny", [KIB])[0]
    url, tools = server.url(file.name), bench.tools
    commands = {"segdl": tools.segdl(url), "segdl --durability process": tools.segdl(url, "--durability", "process")}
    commands |= tools.peers_for_file(url, 1)
    return Setup([Job(label, command, server, One(file)) for label, command in commands.items()], repeat=5)


def start_bars(result):
    return [Bar("wall of `segdl` against curl", result.ratio("segdl", "curl", "wall"), 2.0)]


SCENARIOS = [
    Scenario(
        "connections", "2 GiB over 16, 256 and 1,024 connections", "nginx over loopback, unlimited.",
        connections, connections_bars, "segdl -s 16"),
    Scenario(
        "huge", "64 GiB against 1 GiB",
        "Bytes computed from their offset by a server in Python. The file needs its room on the disk.", huge, huge_bars,
        "segdl -s 4, 1 GiB", optional=True),
    Scenario("start-version", "A start: --version", "How long a start takes.", version, start_bars),
    Scenario("start-file", "A start: a file of 1 KiB", "nginx over loopback.", tiny, start_bars),
]
