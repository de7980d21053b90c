"""Lines with TCP as it is: a namespace for the client, one for each server, and one between them with the lines.

`wire.c` forwards the frames of a line between two interfaces, and counts them. TCP, the servers and the tools know
nothing of it.
"""

import collections
import concurrent.futures
import ctypes
import dataclasses
import os
import re
import shutil
import socket
import subprocess

HEADERS = 1514 / 1448  # a full frame against the bytes of a file in it
CLONE_NEWNET = 0x40000000
POINTS = 40  # of a plot

Traffic = collections.namedtuple("Traffic", "connections at_once crossed lost dropped cut late flows")
Counted = collections.namedtuple("Counted", "connections at_once requests refused crossed lost dropped late flows")


@dataclasses.dataclass(frozen=True)
class Line:
    """Milliseconds, Mbit/s, bytes. Without a queue of its own there is room for one round trip."""

    round_trip: float
    down: float
    up: float | None = None  # as down
    queue: int | None = None
    loss: float = 0
    events: str = ""  # as the command `begin` of wire.c takes them
    congestion: str = "cubic"

    @property
    def rate(self):
        """Bytes of a file per second."""
        return self.down * 1e6 / 8 / HEADERS

    def arguments(self):
        up = self.up or self.down
        queue = self.queue or self.round_trip / 1000 * self.down * 1e6 / 8
        down_queue, up_queue = (max(int(part), 32 * 1514) for part in (queue, queue * up / self.down))
        return map(str, (self.round_trip / 2, self.loss, self.down, down_queue, up, up_queue))

    def __str__(self):
        parts = [f"{self.round_trip:g} ms", f"{self.down:g} Mbit/s"]
        if self.up:
            parts.append(f"{self.up:g} Mbit/s up")
        if self.loss:
            parts.append(f"{100 * self.loss:g} % loss")
        if self.queue:
            parts.append(f"a queue of {self.queue / 1000:,.0f} kB")
        if self.congestion != "cubic":
            parts.append(self.congestion)
        return ", ".join(parts)


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)


def missing():
    """Why there can be no wire here, or None."""
    if os.getuid() != 0:
        return "network namespaces and raw sockets need root"
    for tool in ("ip", "ethtool"):
        if not shutil.which(tool):
            return f"{tool} is not installed"
    probe = ["unshare", "--net", "sh", "-c", "ip link add bench0 type veth peer bench1 && ip route add 198.18.0.0/24 "
             "dev lo congctl cubic 2>/dev/null || ip link show bench0"]
    tried = subprocess.run(probe, check=False, capture_output=True, text=True)
    return (tried.stderr.strip().rstrip(".") or "no virtual links") if tried.returncode else None


def missing_congestion(name):
    with open("/proc/sys/net/ipv4/tcp_available_congestion_control") as file:
        return None if name in file.read().split() else f"this kernel has no congestion control {name}"


def remove_leftovers():
    """Namespaces of benches that were killed."""
    listed = subprocess.run(["ip", "netns", "list"], check=False, capture_output=True, text=True).stdout
    for name, process in re.findall(r"^(segdl-wire-(\d+)-\S+)", listed, re.MULTILINE):
        if not os.path.exists(f"/proc/{process}"):
            subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)


def made_in(namespace, make):
    """What `make` makes in a namespace: a socket stays where it was made."""
    def work():
        with open(f"/run/netns/{namespace}") as opened:
            if ctypes.CDLL(None, use_errno=True).setns(opened.fileno(), CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), "setns")
        return make()
    # `setns` is about one thread, which ends here.
    with concurrent.futures.ThreadPoolExecutor(1) as thread:
        return thread.submit(work).result()


class Wire:
    """One line for each server. Address `n` of the server behind line `n` is `address(n)`."""

    def __init__(self, program, lines):
        self.lines, self.seed, self.forwarders = lines, 0, []
        stem = f"segdl-wire-{os.getpid()}"
        self.near, self.middle = f"{stem}-client", f"{stem}-line"
        self.far = [f"{stem}-server{number}" for number in range(len(lines))]
        remove_leftovers()
        try:
            for name in (self.near, self.middle, *self.far):
                ip("netns", "add", name)
                self.set(name, "net.ipv6.conf.all.disable_ipv6=1", "net.ipv6.conf.default.disable_ipv6=1")
                ip("-n", name, "link", "set", "lo", "up")
            for number in range(len(lines)):
                self.lay(program, number)
        except BaseException:
            self.stop()
            raise

    @staticmethod
    def address(number, host=1):
        """198.18.0.0/15 is for benchmarks (RFC 2544)."""
        return f"198.18.{number}.{host}"

    @staticmethod
    def hardware(number, host):
        return f"02:00:00:00:{number:02x}:{host:02x}"

    @staticmethod
    def inside(name, *command):
        return ["ip", "netns", "exec", name, *command]

    def set(self, name, *settings):
        subprocess.run(self.inside(name, "sysctl", "-q", "-w", *settings), check=True, capture_output=True)

    def lay(self, program, number):
        line, far = self.lines[number], self.far[number]
        ends = ((self.near, f"c{number}", f"n{number}", 2), (far, f"s{number}", f"f{number}", 1))
        for name, end, middle, host in ends:
            ip("link", "add", end, "netns", name, "address", self.hardware(number, host), "type", "veth",
               "peer", middle, "netns", self.middle)
            ip("-n", name, "address", "add", f"{self.address(number, host)}/24", "dev", end)
            for place, interface in ((name, end), (self.middle, middle)):
                ip("-n", place, "link", "set", interface, "up")
                # Else the kernel hands over frames of 64 KiB, which are lost as one.
                subprocess.run(
                    self.inside(place, "ethtool", "-K", interface, "tso", "off", "gso", "off", "gro", "off",
                                "tx", "off", "rx", "off"), check=True, capture_output=True)
        for host in (2, 3):
            ip("-n", far, "neighbour", "add", self.address(number, host), "lladdr", self.hardware(number, 2),
               "dev", f"s{number}")
        ip("-n", far, "route", "change", f"{self.address(number, 0)}/24", "dev", f"s{number}",
           "src", self.address(number), "congctl", line.congestion)
        forwarder = subprocess.Popen(
            self.inside(self.middle, program, f"n{number}", f"f{number}", *line.arguments()),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.forwarders.append(forwarder)
        self.answer(forwarder)

    def answer(self, forwarder, command=None):
        if command:
            print(command, file=forwarder.stdin, flush=True)
        lines = []
        while (line := forwarder.stdout.readline()) != ".\n":
            if not line:
                raise RuntimeError("the forwarder of a line has ended")
            lines.append(line.split())
        return lines

    @property
    def client(self):
        return self.inside(self.near)

    def listener(self, number):
        """As `socket.create_server`, but behind that line."""
        return lambda address, **more: made_in(self.far[number], lambda: socket.create_server(address, **more))

    def connection(self, address, timeout=None):
        """As `socket.create_connection`, but from the client."""
        return made_in(self.near, lambda: socket.create_connection(address, timeout))

    # MARK: A run

    def round(self, number):
        self.seed = number

    def begin(self):
        self.home()
        for name in (self.near, *self.far):
            # What the kernel learned from an earlier run.
            ip("-n", name, "tcp_metrics", "flush")
        for number, (forwarder, line) in enumerate(zip(self.forwarders, self.lines, strict=True)):
            self.answer(forwarder, f"begin {1000 * self.seed + number} {line.events}")

    def home(self):
        self.move(2)

    def roam(self):
        """The client gets another address; all of its connections fall silent."""
        self.move(3)

    def move(self, host):
        for number in range(len(self.lines)):
            ip("-n", self.near, "address", "flush", "dev", f"c{number}")
            ip("-n", self.near, "address", "add", f"{self.address(number, host)}/24", "dev", f"c{number}")
            # Without its last address, an interface forgets its neighbours. A lookup would cost the first
            # connection a round trip, and a second more if the request or its answer is lost.
            ip("-n", self.near, "neighbour", "replace", self.address(number), "lladdr", self.hardware(number, 1),
               "dev", f"c{number}")

    def traffic(self):
        total, late, flows = collections.Counter(), 0, []
        for forwarder in self.forwarders:
            for name, *values in self.answer(forwarder, "end"):
                if name == "down":
                    total += dict(zip(("frames", "crossed", "lost", "dropped", "cut"), map(int, values), strict=True))
                elif name == "flow":
                    flows.append([int(value) for value in values])
                elif name == "late":
                    late = max(late, float(values[0]))
                elif name in ("connections", "at_once", "oversized"):
                    total[name] += int(values[0])
        if total["oversized"]:
            raise RuntimeError(f"{total['oversized']} frames were longer than Ethernet's: an interface joins segments")
        return Traffic(
            total["connections"], total["at_once"], total["crossed"], total["lost"], total["dropped"], total["cut"],
            round(late, 1), coarse(flows) if self.seed == 1 else None)

    def stop(self):
        for forwarder in self.forwarders:
            forwarder.stdin.close()
            forwarder.wait()
        for name in (self.near, self.middle, *self.far):
            subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)


def coarse(flows, step=0.1, most=16):
    """What a plot shows of the bytes of each connection: [seconds of a step, [[kB, kB, …], …]]. Connections beyond the
    sixteen largest are one."""
    end = max((flow[0] + len(flow) - 1 for flow in flows), default=0)
    every = max(1, -(-end // POINTS))
    shown = []
    for first, *received in flows:
        points = [0] * -(-end // every)
        for place, count in enumerate(received, first):
            points[place // every] += count
        shown.append((first, points))
    shown.sort(key=lambda flow: -sum(flow[1]))
    kept = [points for _, points in sorted(shown[:most])]
    if len(shown) > most:
        kept.append([sum(column) for column in zip(*(points for _, points in shown[most:]), strict=True)])
    return [round(step * every, 1), [[round(count / 1000) for count in points] for points in kept]]


class Across:
    """The servers behind a wire, with what crossed it. The books of a server are closed when its connections are."""

    def __init__(self, wire, servers):
        self.wire, self.servers = wire, servers

    def begin(self):
        for server in self.servers:
            server.begin()
        self.wire.begin()

    def counts(self):
        traffic = self.wire.traffic()
        counts = [server.counts() for server in self.servers]
        return Counted(
            traffic.connections, traffic.at_once, sum(count.requests for count in counts),
            sum(count.refused for count in counts), traffic.crossed, traffic.lost, traffic.dropped, traffic.late,
            traffic.flows)
