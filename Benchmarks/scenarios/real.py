"""Scenarios over lines with TCP as it is: slow start, loss, a queue, and what servers and routers do."""

import dataclasses
import random
from collections.abc import Callable

import ideal
from contenders import PEERS
from content import KIB, MIB, Many, One
from measure import Job, Setup
from scenario import Bar, Scenario, Skipped
from servers import Paced, steady
from wire import HEADERS, Across, Line, Wire, missing, missing_congestion

SECURE = 16406 / 16384  # a full record of TLS 1.3 against what is in it
AUTO = 8  # the most connections that `auto` opens to one host
FIXED = ["4", "8", "16"]
HOLE = 12  # seconds
EVENT = 2  # seconds, when something happens
SERVER_RATE = 2_000_000  # bytes per second of each connection, where the server limits them

FAR = Line(150, 200, loss=0.0005)
LOSSY = Line(80, 100, loss=0.005)
SATELLITE = Line(600, 20, loss=0.001)
HOME = Line(40, 50)


@dataclasses.dataclass
class Scene:
    """One file over a line, or over several from as many servers."""

    lines: list[Line]
    size: int
    tls: bool = False
    # Instead of nginx: a server of these files that listens so.
    server: Callable | None = None
    latency: float = 0.0  # seconds before each answer
    each: float | None = None  # bytes per second of each connection
    most: int = 16  # connections that the server serves at a time
    outage: float = 0.0  # seconds in which nothing passes, for the ideal
    roams: bool = False
    # How much faster than the best peer, and than the best of curl and axel.
    against_peers: float | None = None
    against_small: float | None = None
    late: float | None = None  # seconds behind the ideal

    @property
    def eventful(self):
        return self.roams or any(line.events for line in self.lines)

    @property
    def overhead(self):
        return HEADERS * (SECURE if self.tls else 1)

    @property
    def setup_trips(self):
        """Until the first byte of an answer."""
        return 3 if self.tls else 2

    def rate(self, connections):
        """Bytes of the file per second."""
        limit = min(connections, self.most) * self.each if self.each else float("inf")
        return min(sum(line.rate for line in self.lines), limit) / (self.overhead / HEADERS)

    @property
    def round_trip(self):
        return min(line.round_trip for line in self.lines) / 1000

    def ideal(self, size):
        """A line that is full from the second round trip on."""
        return size / self.rate(16) + self.setup_trips * self.round_trip + self.latency + self.outage

    def curve(self, size, connections):
        """Points of `ideal.slow_start`, which for several servers is one line with all of their rates."""
        carrying = min(connections, self.most)
        points = ideal.slow_start(
            size, self.rate(connections), self.round_trip, carrying, self.setup_trips)
        gap = self.outage and EVENT + self.round_trip / 2
        return [(time + self.latency + (self.outage if gap and time > gap else 0), carried) for time, carried in points]

    def far(self, size):
        """What the page says of it."""
        return {
            "lines": [str(line) for line in self.lines],
            "overhead": self.overhead,
            "bound": {str(n): round(self.curve(size, n)[-1][0], 2) for n in (1, AUTO, 16)},
            "curve": [[round(time, 2), round(carried / 1000)] for time, carried in self.curve(size, 16)],
        }


def laid(bench, lines):
    """A wire, which the bench keeps, or the reason why there is none."""
    reasons = [missing(), *(missing_congestion(line.congestion) for line in lines)]
    if reason := next(filter(None, reasons), None):
        raise Skipped(reason)
    return bench.keep(Wire(f"{bench.home}/wire", lines))


def nginx(bench, wire, number, tls=False, http2=False):
    return bench.nginx(
        authority=bench.authority if tls else None, http2=http2, address=wire.address(number),
        inside=wire.inside(wire.far[number]))


def commands(bench, urls):
    """`auto`, fixed counts, and the peers with sixteen connections. Not all can read one file from several servers."""
    tools, first = bench.tools, urls[0]
    mirrors = [word for url in urls[1:] for word in ("--mirror", url)]
    made = {"segdl": tools.segdl(first, *mirrors)}
    made |= {f"segdl -s {count}": tools.segdl(first, *mirrors, "-s", count) for count in FIXED}
    for label, command in tools.peers_for_file(first, 16).items():
        made[label] = [*command, *(urls[1:] if label.startswith(("aria2c", "axel")) else [])]
    return made


def prepare(scene):
    def make(bench):
        wire = laid(bench, scene.lines)
        file = bench.file(f"real-{scene.size}", scene.size)
        if scene.server:
            servers = [bench.keep(scene.server([file], address=wire.address(0), listen=wire.listener(0)))]
        else:
            servers = [nginx(bench, wire, number, scene.tls) for number in range(len(scene.lines))]
        across = Across(wire, servers)
        made = commands(bench, [server.url(file.name) for server in servers])
        slow = ("curl", "wget2")
        return Setup(
            [Job(label, command, across, One(file), runs=3 if label.startswith(slow) else None)
             for label, command in made.items()],
            inside=wire.client, ideal=scene.ideal(file.size), warm_up=False, round=wire.round,
            during=[(EVENT, wire.roam)] if scene.roams else [], limit=90 if scene.eventful else 180,
            far=scene.far(file.size))
    return make


# MARK: Bars

def least(result, labels):
    """The label with the least median wall time, or None."""
    walls = {label: result.median(label, "wall") for label in labels}
    walls = {label: wall for label, wall in walls.items() if wall is not None}
    return min(walls, key=walls.get) if walls else None


def against(result, ours, others, bar, who):
    others = [label for label in others if label != ours and not label.startswith("before: ")]
    if not (best := least(result, others)):
        return []
    return [Bar(f"wall of `{ours}` against the best of {who}: `{best}`", result.ratio(ours, best, "wall"), bar)]


def sent_twice(result, label, bar):
    return Bar(f"bytes of `{label}` that crossed the line twice", result.median(label, "again"), bar, unit=" %")


def bars(scene):
    def of(result):
        peers = [label for label in result.contenders if label.split()[0] in PEERS]
        ours = [label for label in result.contenders if label.startswith("segdl")]
        made = against(result, "segdl", result.contenders, 1.05, "all")
        if scene.against_peers:
            made += against(result, "segdl", peers, scene.against_peers, "the peers")
        if scene.against_small:
            small = [label for label in peers if label.startswith(("curl", "axel"))]
            made += against(result, "segdl", small, 1, "curl and axel")
            made += against(result, "segdl -s 16", small, scene.against_small, "curl and axel")
        wall = result.median("segdl", "wall")
        if scene.late:
            behind = wall - result.ideal if wall is not None else None
            made.append(Bar("`segdl` behind the ideal", behind, scene.late, unit=" s"))
        for label in ours:
            made.append(sent_twice(result, label, 3.0 if scene.eventful else 1.0))
            connections = result.median(label, "connections")
            most = (connections or 0) * 8 + scene.size / (16 * MIB)
            made.append(Bar(f"requests of `{label}`", result.median(label, "requests"), most, unit=""))
        if not scene.eventful:
            hosts = len(scene.lines)
            at_once = result.median("segdl", "at_once")
            made.append(Bar("connections of `segdl` at once", at_once, AUTO * hosts, unit=""))
        return made
    return of


# MARK: Lists

def list_of(name, sizes, line, tls):
    def make(bench):
        wire = laid(bench, [line])
        server = nginx(bench, wire, 0, tls, http2=tls)
        files, tools = bench.files(name, sizes(bench)), bench.tools
        urls = bench.urls(name, [server.url(file.name) for file in files])
        made = {"segdl": tools.segdl_list(urls), **tools.peers_for_list(urls, 16)}
        total = sum(file.size for file in files)
        scene = Scene([line], total, tls)
        return Setup(
            [Job(label, command, Across(wire, [server]), Many(files)) for label, command in made.items()],
            inside=wire.client, ideal=scene.ideal(total), warm_up=False, round=wire.round, far=scene.far(total))
    return make


def many_small(bench):
    sizes = random.Random(3)
    return [sizes.randrange(1, 20 * KIB) for _ in range(bench.count(1000))]


def middle(bench):
    sizes = random.Random(4)
    return [sizes.randrange(512 * KIB, 4 * MIB) for _ in range(max(bench.count(20), 4))]


def list_bars(result):
    return against(result, "segdl", result.contenders, 1.05, "all") + [sent_twice(result, "segdl", 1.0)]


# MARK: The scenes

def described(name, title, about, scene):
    where = " and ".join(str(line) for line in scene.lines)
    return Scenario(f"real-{name}", title, f"{where}. {about}".strip(), prepare(scene), bars(scene))


def paced(rate=None, **more):
    """A server that does what nginx cannot."""
    return lambda files, **where: Paced(files, steady(rate), **more, **where)


def with_events(line, events):
    return dataclasses.replace(line, events=events)


SCENARIOS = [
    described("far", "64 MiB from far away", "", Scene([FAR], 64 * MIB, against_peers=0.9)),
    described("far-tls", "64 MiB from far away, over TLS", "", Scene([FAR], 64 * MIB, tls=True, against_peers=0.9)),
    described(
        "far-bbr", "64 MiB from far away, from a server with bbr", "",
        Scene([dataclasses.replace(FAR, congestion="bbr")], 64 * MIB)),
    described("short", "4 MiB from far away", "", Scene([FAR], 4 * MIB, against_small=0.9)),
    described("short-tls", "4 MiB from far away, over TLS", "", Scene([FAR], 4 * MIB, tls=True, against_small=0.9)),
    described("lossy", "A line that loses", "", Scene([LOSSY], 32 * MIB, against_peers=0.9)),
    described("satellite", "A satellite", "", Scene([SATELLITE], 16 * MIB, against_peers=0.9)),
    described("cable", "A cable at home", "One stream fills it.", Scene([Line(30, 100)], 100 * MIB)),
    described("fibre", "A fibre", "One stream fills it.", Scene([Line(10, 800)], 512 * MIB)),
    described(
        "shallow", "A queue of a tenth of a round trip", "", Scene([Line(80, 100, queue=100_000)], 64 * MIB)),
    described(
        "bloat", "A queue of a second", "What is under way takes a second to arrive.",
        Scene([Line(20, 20, queue=2_500_000)], 32 * MIB)),
    described(
        "hole", "Nothing passes for twelve seconds", f"From the second {EVENT} on.",
        Scene([with_events(HOME, f"drop {EVENT} {EVENT + HOLE}")], 32 * MIB, outage=HOLE, late=2)),
    described(
        "roam", "The client gets another address",
        f"After {EVENT} seconds: all connections fall silent, without an end or a reset.",
        Scene([HOME], 32 * MIB, roams=True, late=3)),
    described(
        "reset", "All connections are reset", f"After {EVENT} seconds, as by a router that forgot them.",
        Scene([with_events(HOME, f"reset {EVENT}")], 32 * MIB)),
    described(
        "latency", "300 ms before each answer", "A server that has to look for it each time.",
        Scene([Line(50, 100)], 32 * MIB, server=paced(delay=0.3), latency=0.3)),
    described(
        "limited", "2 MB/s for each connection", "The server gives it evenly.",
        Scene([Line(100, 200)], 32 * MIB, server=paced(rate=SERVER_RATE), each=SERVER_RATE)),
    described(
        "four", "Four connections for an address",
        "2 MB/s for each connection. A fifth one is accepted, and hears nothing until another one ends.",
        Scene([Line(80, 100)], 32 * MIB, server=paced(rate=SERVER_RATE, at_most=4, excess="silence"),
              each=SERVER_RATE, most=4)),
    described(
        "sixty", "Sixty requests a minute", "Further ones get a 429 that says when the next one is free.",
        Scene([FAR], 64 * MIB, server=paced(each_minute=60))),
    described(
        "upload", "1 Mbit/s in the other direction", "Acknowledgements and requests have little room.",
        Scene([Line(40, 50, up=1)], 32 * MIB)),
    described(
        "mirrors", "Three mirrors behind three lines", "curl and wget2 read from the first alone.",
        Scene([Line(40, 50), Line(100, 50, loss=0.0005), Line(150, 25)], 64 * MIB)),
    Scenario(
        "real-list-small", "A list of 1,000 small files, over TLS",
        "80 ms, 100 Mbit/s, 0.1 % loss. 1 byte to 20 KiB each; the server has HTTP/2.",
        list_of("real-small", many_small, Line(80, 100, loss=0.001), True), list_bars),
    Scenario(
        "real-list-middle", "A list of 20 files of 0.5 to 4 MiB", f"{FAR}.",
        list_of("real-middle", middle, FAR, False), list_bars),
]
