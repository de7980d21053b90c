"""Scenarios of many files."""

import random

import ideal
from content import KIB, MIB, Many
from measure import Job, Setup
from scenario import Bar, Scenario
from servers import Together, steady

RATE = 20 * MIB
SIXTEEN = ["-j", "16", "--max-connections-per-host", "16"]


def jobs(bench, name, server, files, urls, count=16, split=1):
    """segdl and the peers on one list."""
    listed, tools = bench.urls(name, urls), bench.tools
    commands = {
        f"segdl -j {count}": tools.segdl_list(listed, "-j", str(count), "--max-connections-per-host", "16"),
        f"segdl -j {count} --durability process": tools.segdl_list(
            listed, "-j", str(count), "--max-connections-per-host", "16", "--durability", "process"),
        **tools.peers_for_list(listed, count, split),
    }
    return [Job(label, command, server, Many(files)) for label, command in commands.items()]


def small(authority, http2):
    def prepare(bench):
        sizes = random.Random(5)
        files = bench.files("small", [sizes.randrange(1, 20 * KIB) for _ in range(bench.count(5000))])
        server = bench.nginx(authority=bench.authority if authority else None, http2=http2)
        return Setup(jobs(bench, "small", server, files, [server.url(file.name) for file in files]))
    return prepare


def small_bars(result):
    bars = []
    for label in ("segdl -j 16", "segdl -j 16 --durability process"):
        bars += [
            Bar(f"wall of `{label}` against `curl -Z`", result.ratio(label, "curl -Z --parallel-max 16", "wall"), 0.9),
            Bar(f"wall of `{label}` against aria2", result.ratio(label, "aria2c -j16", "wall"), 0.4),
            Bar(f"CPU of `{label}` against `curl -Z`", result.ratio(label, "curl -Z --parallel-max 16", "cpu"), 1.2),
        ]
    return bars


def mixed(bench):
    """Two huge files at both ends, so that neither order of a list is a gift."""
    sizes = [160 * MIB, *[16 * KIB] * 150, *[2 * MIB] * 12, *[16 * KIB] * 150, 160 * MIB]
    files = bench.files("mixed", [size if size < MIB else bench.size(size) for size in sizes])
    server = bench.paced(files, steady(RATE))
    return Setup(
        jobs(bench, "mixed", server, files, [server.url(file.name) for file in files], split=8),
        ideal=ideal.seconds(sum(file.size for file in files), 16, server.rates))


def delayed(bench):
    files = bench.files("delayed-list", [64 * KIB] * bench.count(400))
    server = bench.paced(files, delay=0.1)
    return Setup(
        jobs(bench, "delayed", server, files, [server.url(file.name) for file in files]), ideal=len(files) / 16 * 0.1)


def hosts(bench):
    rates = [RATE, RATE / 4]
    files = bench.files("hosts", [bench.size(60 * MIB)] * 2)
    servers = [
        bench.paced([file], steady(rate), address=f"127.0.0.{number}")
        for number, (file, rate) in enumerate(zip(files, rates, strict=True), 1)
    ]
    urls = bench.urls("hosts", [server.url(file.name) for server, file in zip(servers, files, strict=True)])
    tools, both, expected = bench.tools, Together(servers), Many(files)
    commands = {"segdl": tools.segdl_list(urls), **tools.peers_for_list(urls, 2, split=8)}
    return Setup(
        [Job(label, command, both, expected) for label, command in commands.items()],
        ideal=max(ideal.seconds(file.size, 8, server.rates) for server, file in zip(servers, files, strict=True)))


def many(bench):
    server, tools, made = bench.nginx(), bench.tools, []
    for count, runs in ((1000, None), (bench.count(100_000), 3)):
        files = bench.files(f"many-{count}", [KIB] * count)
        urls = bench.urls(f"many-{count}", [server.url(file.name) for file in files])
        made.append(Job(f"segdl, {count} files", tools.segdl_list(urls, *SIXTEEN), server, Many(files), runs))
    return Setup(made, limit=1800)


def many_bars(result):
    few, lots = result.contenders.values()
    ratio = result.ratio(lots["label"], few["label"], "wall")
    ratio = ratio and ratio * few["files"] / lots["files"]
    return [Bar("time per file of 100,000 against 1,000 (\"the same\": within a tenth)", ratio, 1.1)]


SCENARIOS = [
    Scenario(
        "small-http1", "5,000 small files, HTTP/1.1",
        "1 byte to 20 KiB, 16 at a time, from nginx over loopback.", small(False, False), small_bars, "segdl -j 16"),
    Scenario(
        "small-http2", "5,000 small files, HTTP/2 over TLS",
        "The same from a server that has HTTP/2. aria2 has not, and takes HTTP/1.1.", small(True, True), small_bars,
        "segdl -j 16"),
    Scenario(
        "mixed", "A list of small and huge files",
        "160 MiB, 300 files of 16 KiB, twelve of 2 MiB, 160 MiB; 20 MiB/s for each connection. Ideal: sixteen "
        "connections from the begin to the end.", mixed, lambda result: [], "segdl -j 16"),
    Scenario(
        "delay-list", "A list, 100 ms before every answer",
        "400 files of 64 KiB. Ideal: sixteen answers every 100 ms.", delayed, lambda result: [], "segdl -j 16"),
    Scenario(
        "hosts", "A list over two hosts of unequal speed",
        "60 MiB from a host that gives 20 MiB/s to each connection, and from one that gives 5. Ideal: eight "
        "connections to each all the time.", hosts,
        lambda result: [Bar("wall of `segdl` against the ideal", result.against_ideal("segdl"), 1.2)]),
    Scenario(
        "many", "100,000 small files against 1,000", "1 KiB each, 16 at a time, from nginx over loopback.",
        many, many_bars, "segdl, 1000 files"),
]
