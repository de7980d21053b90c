"""Scenarios of one file."""

import hashlib

import ideal
from contenders import SWEEP
from content import GIB, MIB, One
from links import Link, payload
from measure import Job, Setup
from scenario import Bar, Scenario, Skipped, best_fixed, cost_of_many
from servers import steady

RATE = 20 * MIB  # of each connection, where they are limited
CRAWL = 60_000
PROCESS = ["--durability", "process"]  # what curl and aria2 promise: nothing about power cuts
PER_CONNECTION = "20 MiB/s for each connection"


def jobs(bench, commands, server, file, often):
    """All commands on one server. Those that are not in `often` say little by more runs, and take long."""
    return [
        Job(label, command, server, One(file), runs=None if label in often else 3)
        for label, command in commands.items()
    ]


def against_peers(bench, server, file, count, inside=(), **more):
    """`auto` and fixed counts of segdl, and the peers with `count` connections."""
    url = server.url(file.name)
    commands = bench.tools.sweep(url) | bench.tools.peers_for_file(url, count)
    often = {"segdl", "segdl -s 1", f"segdl -s {count}", f"aria2c -x{count}", f"axel -n {count}"}
    return Setup(jobs(bench, commands, server, file, often), inside=list(inside), **more)


# MARK: As fast as it goes

def unlimited(bench, server, file, counts):
    tools, url = bench.tools, server.url(file.name)
    commands = tools.sweep(url)
    for count in counts:
        commands[f"segdl -s {count} --durability process"] = tools.segdl(url, "-s", str(count), *PROCESS)
        commands |= tools.peers_for_file(url, count)
    return commands


def plain(bench):
    server, file = bench.nginx(), bench.file("large", GIB)
    commands = unlimited(bench, server, file, [4, 16])
    if "baseline" in bench.tools.peers:
        commands["recv + pwrite in C"] = bench.tools.baseline(server, file.name)
    few = {f"segdl -s {n}" for n in SWEEP} - {"segdl -s 4", "segdl -s 16"}
    return Setup(jobs(bench, commands, server, file, set(commands) - few))


def plain_bars(result):
    bars = []
    for count in (4, 16):
        for more in ("", " --durability process"):
            label = f"segdl -s {count}{more}"
            bars += [
                Bar(f"CPU of `{label}` against the loop in C", result.ratio(label, "recv + pwrite in C", "cpu"), 1.15),
                Bar(f"CPU of `{label}` against aria2", result.ratio(label, f"aria2c -x{count}", "cpu"), 0.5),
                Bar(f"wall of `{label}` against curl", result.ratio(label, "curl", "wall"), 1.0),
            ]
    return bars + best_fixed(result) + cost_of_many(result)


def tls(bench):
    server, file = bench.nginx(authority=bench.authority), bench.file("large", GIB)
    commands = unlimited(bench, server, file, [4])
    few = {f"segdl -s {n}" for n in SWEEP} - {"segdl -s 4"}
    return Setup(jobs(bench, commands, server, file, set(commands) - few))


def tls_bars(result):
    bars = []
    for label in ("segdl -s 4", "segdl -s 4 --durability process"):
        bars += [
            Bar(f"wall of `{label}` against curl", result.ratio(label, "curl", "wall"), 0.75),
            Bar(f"wall of `{label}` against aria2", result.ratio(label, "aria2c -x4", "wall"), 0.7),
            Bar(f"CPU of `{label}` against curl", result.ratio(label, "curl", "cpu"), 1.0),
        ]
    return bars + best_fixed(result) + cost_of_many(result)


def hashing(directives):
    return lambda bench: hash_with(bench, bench.nginx(directives))


def hash_with(bench, server):
    file, tools = bench.file("large", GIB), bench.tools
    url = server.url(file.name)
    with open(file.path, "rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    commands = {
        "segdl -s 4": tools.segdl(url, "-s", "4"),
        "segdl -s 4 --checksum": tools.segdl(url, "-s", "4", "--checksum", f"sha256={digest}"),
    }
    if "curl" in tools.peers:
        commands["curl, then openssl dgst"] = ["sh", "-c", f"curl -fsS -o out {url} && openssl dgst -sha256 out"]
    if "aria2c" in tools.peers:
        commands["aria2c -x4 --checksum"] = tools.aria2c(url, 4, f"--checksum=sha-256={digest}")
    return Setup(jobs(bench, commands, server, file, commands))


# MARK: Limited for each connection

def limited(bench):
    return against_peers(bench, bench.nginx("limit_rate 20m;"), bench.file("limited", 240 * MIB), 8)


def limited_steady(bench):
    file = bench.file("limited", 240 * MIB)
    server = bench.paced([file], steady(RATE))
    return against_peers(bench, server, file, 8, ideal=ideal.seconds(file.size, 8, server.rates))


def limited_bars(result):
    return [
        Bar(f"speed of `{label}` against one stream", result.ratio("segdl -s 1", label, "wall"), 7.8, least=True)
        for label in ("segdl", "segdl -s 8")
    ] + best_fixed(result) + cost_of_many(result)


def crawling(first):
    """Connections `first`, `first` + 5, … crawl."""
    def rates():
        return lambda connection, elapsed, sent: CRAWL if connection.number % 5 == first % 5 else RATE
    return rates


def prepare_crawling(first):
    def prepare(bench):
        file = bench.file("limited", 240 * MIB)
        fresh, server = bench.paced([file], steady(RATE)), bench.paced([file], crawling(first))
        url, tools = server.url(file.name), bench.tools
        # A single stream that crawls needs an hour; it is measured where the first connection does not crawl.
        if first == 1:
            commands = {"segdl": tools.segdl(url), "segdl -s 8": tools.segdl(url, "-s", "8")}
            commands |= {
                label: command for label, command in tools.peers_for_file(url, 8).items()
                if label.startswith(("aria2c", "axel"))}
            made = Setup(jobs(bench, commands, server, file, commands))
        else:
            made = against_peers(bench, server, file, 8)
        url = fresh.url(file.name)
        made.jobs += [
            Job("segdl, none crawls", tools.segdl(url), fresh, One(file)),
            Job("segdl -s 8, none crawls", tools.segdl(url, "-s", "8"), fresh, One(file)),
        ]
        made.ideal = ideal.seconds(file.size, 8, server.rates)
        return made
    return prepare


def crawling_bars(result):
    return [
        Bar(f"wall of `{label}` against none crawling", result.ratio(label, f"{label}, none crawls", "wall"), 1.3)
        for label in ("segdl", "segdl -s 8")
    ] + (best_fixed(result) if "segdl -s 1" in result.contenders else [])


def at_most_three(excess):
    def prepare(bench):
        file = bench.file("limited", 240 * MIB)
        server = bench.paced([file], steady(RATE), at_most=3, excess=excess)
        return against_peers(bench, server, file, 8, ideal=ideal.seconds(file.size, 3, server.rates))
    return prepare


def at_most_three_bars(result):
    bars = []
    for label in ("segdl", "segdl -s 8"):
        bars += [
            Bar(f"wall of `{label}` against the ideal", result.against_ideal(label), 1.05),
            Bar(f"refused requests of `{label}`, fewer than 20", result.median(label, "refused"), 19, unit=""),
        ]
    return bars + best_fixed(result)


# MARK: What changes midway

def half_slows_down(size):
    """When half the file is sent, every second connection falls to a twentieth, and so does every second later one."""
    def rates():
        return lambda connection, elapsed, sent: RATE / 20 if connection.number % 2 == 0 and sent > size / 2 else RATE
    return rates


def rate_change(bench):
    file = bench.file("limited", 240 * MIB)
    server = bench.paced([file], half_slows_down(file.size))
    return against_peers(bench, server, file, 8, ideal=ideal.seconds(file.size, 8, server.rates))


class Stall:
    """When so many bytes are sent, the connection that is next to send falls silent for good."""

    def __init__(self, after):
        self.after, self.victim = after, None

    def __call__(self, connection, elapsed, sent):
        if self.victim is None and sent >= self.after:
            self.victim = connection.number
        return 0 if connection.number == self.victim else RATE


def stall(bench):
    file = bench.file("limited", 240 * MIB)
    server = bench.paced([file], lambda: Stall(file.size * 0.9))
    url, tools = server.url(file.name), bench.tools
    commands = tools.sweep(url)
    if "aria2c" in tools.peers:
        commands["aria2c -x8 --timeout=5"] = tools.aria2c(url, 8, "--timeout=5", "--retry-wait=1")
    if "axel" in tools.peers:
        commands["axel -n 8 -T 5"] = [*tools.axel(url, 8)[:-1], "-T", "5", url]
    often = {"segdl", "segdl -s 8"}
    return Setup(jobs(bench, commands, server, file, often), ideal=ideal.seconds(file.size, 8, server.rates))


def ideal_bars(result):
    return [
        Bar(f"wall of `{label}` against the ideal", result.against_ideal(label), 1.2)
        for label in ("segdl", "segdl -s 8")
    ] + best_fixed(result)


# MARK: A link of its own

def linked(bench, mbit):
    if reason := Link.missing():
        raise Skipped(reason)
    link = bench.keep(Link(mbit))
    return link, bench.nginx(address=Link.ADDRESS, inside=link.server), bench.file("linked", 120 * MIB)


def bottleneck(bench):
    link, server, file = linked(bench, 200)
    return against_peers(bench, server, file, 8, link.client)


def bottleneck_bars(result):
    bar = Bar("wall of `segdl` against one stream", result.ratio("segdl", "segdl -s 1", "wall"), 1.03)
    return [bar, *best_fixed(result)]


def link_change(bench):
    link, server, file = linked(bench, 200)
    changes = [(0, 200), (2 * bench.scale, 40), (6 * bench.scale, 200)]
    return against_peers(
        bench, server, file, 8, link.client,
        ideal=ideal.link(file.size, [(when, payload(mbit)) for when, mbit in changes]),
        during=[(when, link.shape, [mbit]) for when, mbit in changes])


# MARK: A delay before every answer

def delay(bench):
    file = bench.file("delayed", 64 * MIB)
    return against_peers(bench, bench.paced([file], delay=0.1), file, 8)


SCENARIOS = [
    Scenario(
        "plain", "1 GiB, unlimited",
        "nginx over loopback. The loop in C is one connection, `recv` and `pwrite` of 256 KiB: it checks nothing, "
        "syncs nothing. By default segdl gives a file its name only when it is on the disk; "
        "with `--durability process` it promises what the others do.", plain, plain_bars),
    Scenario("tls", "1 GiB over TLS, unlimited", "The same over TLS 1.3, with an authority of our own.", tls, tls_bars),
    Scenario(
        "hashing", "1 GiB with its SHA-256, unlimited",
        "segdl and aria2 are given the digest; curl's file is read again by OpenSSL.", hashing(""), lambda result: [],
        main="segdl -s 4 --checksum"),
    Scenario(
        "hashing-limited", "1 GiB with its SHA-256, 100 MB/s over four connections",
        "The same from an nginx that gives 25 MB/s to each connection.", hashing("limit_rate 25000000;"),
        lambda result: [], main="segdl -s 4 --checksum"),
    Scenario(
        "limited", "240 MiB, 20 MiB/s for each connection, nginx",
        "nginx gives each answer up to a second's worth at once, so that eight connections can gain more than eight "
        "times the speed.", limited, limited_bars),
    Scenario(
        "limited-steady", "240 MiB, 20 MiB/s for each connection, evenly",
        "The same from a server without such a gift: eight connections are eight times as fast at most.",
        limited_steady, limited_bars),
    Scenario(
        "crawling", "Every fifth connection crawls",
        f"240 MiB, {PER_CONNECTION}, but 60 kB/s for the fifth, the tenth, …", prepare_crawling(5), crawling_bars),
    Scenario(
        "crawling-first", "Every fifth connection crawls, the first one too",
        f"240 MiB, {PER_CONNECTION}, but 60 kB/s for the first, the sixth, …", prepare_crawling(1), crawling_bars),
    Scenario(
        "address-503", "At most 3 answers at a time, else 503",
        f"240 MiB, {PER_CONNECTION}. Ideal: three connections from the begin to the end.",
        at_most_three("503"), at_most_three_bars),
    Scenario(
        "address-reset", "At most 3 connections, further ones are reset",
        f"240 MiB, {PER_CONNECTION}. Ideal: three connections from the begin to the end.",
        at_most_three("reset"), at_most_three_bars),
    Scenario(
        "bottleneck", "A link that one stream fills",
        "120 MiB through a link of 200 Mbit/s, made of two namespaces. More connections gain nothing.",
        bottleneck, bottleneck_bars),
    Scenario(
        "link-change", "A link that slows down and recovers",
        "120 MiB through a link of 200 Mbit/s that has 40 Mbit/s from the second to the sixth second. Ideal: the link "
        "is full all the time.", link_change, ideal_bars),
    Scenario(
        "rate-change", "Half of the connections slow down midway",
        f"240 MiB, {PER_CONNECTION}; when half is sent, every second one falls to 1 MiB/s, later ones too. Ideal: "
        "eight connections, slow ones replaced at once.", rate_change, ideal_bars),
    Scenario(
        "stall", "A connection falls silent at 90 %",
        f"240 MiB, {PER_CONNECTION}; at 90 % one falls silent and stays open. Ideal: eight connections, the silent one "
        "replaced at once. A single stream has nothing to go on with, so curl and wget2 are left out.",
        stall, ideal_bars),
    Scenario(
        "delay", "100 ms before every answer", "64 MiB, unlimited, but each answer begins 100 ms late.",
        delay, best_fixed),
]
