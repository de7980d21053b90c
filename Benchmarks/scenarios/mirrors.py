"""One file from several servers."""

from content import MIB, One
from measure import Job, Setup
from scenario import Bar, Scenario
from servers import Together, steady

SPEEDS = [20_000_000, 10_000_000, 5_000_000]  # bytes per second of each connection
CONNECTIONS = 2  # to each server


def mirrors(bench):
    file, tools = bench.file("mirrored", 500 * MIB), bench.tools
    servers = [bench.paced([file], steady(speed)) for speed in SPEEDS]
    urls = [server.url(file.name) for server in servers]
    together = Together(servers)
    options = [word for url in urls[1:] for word in ("--mirror", url)]
    each = ["--max-connections-per-host", str(CONNECTIONS)]
    commands = {
        "segdl": tools.segdl(urls[0], *options, *each),
        "segdl, the slowest first": tools.segdl(
            urls[2], "--mirror", urls[0], "--mirror", urls[1], *each),
        "segdl, the fastest alone": tools.segdl(urls[0], *each),
    }
    if "aria2c" in tools.peers:
        count = str(CONNECTIONS * len(urls))
        commands[f"aria2c -x{CONNECTIONS} -s{count}"] = [
            "aria2c", "--no-conf", "-q", f"-x{CONNECTIONS}", f"-s{count}", "-k1M", "--file-allocation=falloc",
            "-o", "out", *urls]
    jobs = [Job(label, command, together, One(file)) for label, command in commands.items()]
    return Setup(jobs, ideal=file.size / (CONNECTIONS * sum(SPEEDS)))


def mirrors_bars(result):
    bars = []
    for label in ("segdl", "segdl, the slowest first"):
        against = result.against_ideal(label)
        bars.append(
            Bar(f"speed of `{label}` against the sum of the servers'", 1 / against if against else None, 0.95,
                least=True))
    return bars


SCENARIOS = [
    Scenario(
        "mirrors", "500 MiB from three servers of 20, 10 and 5 MB/s for each connection",
        f"At most {CONNECTIONS} connections to each, so that they can give 70 MB/s together. Ideal: all of them are "
        "at work from the begin to the end.", mirrors, mirrors_bars),
]
