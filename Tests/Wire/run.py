#!/usr/bin/env python3
"""Tests the line with TCP of `Scripts/bench --only 'real-*'`, and one scenario over it: Tests/Wire/run.py SEGDL

It makes network namespaces, so it needs root; elsewhere it ends with 77.
"""

import contextlib
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

SCENARIOS = pathlib.Path(__file__).resolve().parents[2] / "Benchmarks" / "scenarios"
sys.path.insert(0, str(SCENARIOS))

import wire  # noqa: E402

LONGEST = 120  # seconds, for what hangs
SIZE = 1_000_000
DEBIAN_PYTHON, NOBODY = "/usr/bin/python3", 65534
HOME = tempfile.TemporaryDirectory(prefix="segdl-wire-")
PROGRAM = f"{HOME.name}/wire"


def namespaces(process):
    listed = subprocess.run(["ip", "netns", "list"], check=True, capture_output=True, text=True).stdout
    return re.findall(rf"^segdl-wire-{process}-\S+", listed, re.MULTILINE)


def wait_until(condition):
    end = time.monotonic() + LONGEST
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("waited in vain")
        time.sleep(0.02)


def living(group):
    """Processes of a group that have not ended. One that has ended is listed until its parent collects its status."""
    found = []
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            state, _, its_group = status.read_text().rpartition(")")[2].split()[:3]
            if int(its_group) == group and state not in "ZX":
                found.append(status.parent.name)
    return found


class Sender:
    """A server that sends the same bytes to each connection, all or until the client has gone."""

    def __init__(self, line, content):
        self.content = content
        self.listener = line.listener(0)((line.address(0), 0))
        self.address = self.listener.getsockname()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                accepted, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.send, args=[accepted], daemon=True).start()

    def send(self, accepted):
        # The client may have gone, or its connection was reset.
        with accepted, contextlib.suppress(OSError):
            accepted.sendall(self.content)

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


class LineTests(unittest.TestCase):
    """The forwarder, with sockets at both ends."""

    def lay(self, line, content=b"x" * SIZE, seed=1):
        made = wire.Wire(PROGRAM, [line])
        self.addCleanup(made.stop)
        sender = Sender(made, content)
        self.addCleanup(sender.stop)
        made.round(seed)
        made.begin()
        return made, sender

    def connect(self, made, sender):
        connection = made.connection(sender.address, LONGEST)
        self.addCleanup(connection.close)
        return connection

    def received(self, connection):
        content = bytearray()
        while part := connection.recv(65536):
            content += part
        return bytes(content)

    def test_what_crosses_is_counted_with_its_headers(self):
        made, sender = self.lay(wire.Line(10, 100))
        self.assertEqual(len(self.received(self.connect(made, sender))), SIZE)
        traffic = made.traffic()
        self.assertEqual((traffic.connections, traffic.lost, traffic.cut), (1, 0, 0))
        self.assertAlmostEqual(traffic.crossed / SIZE, wire.HEADERS, delta=0.01)

    def test_an_answer_takes_a_round_trip_at_least(self):
        made, sender = self.lay(wire.Line(200, 100))
        began = time.monotonic()
        self.connect(made, sender)
        self.assertGreaterEqual(time.monotonic() - began, 0.2)

    def test_a_rate_is_never_exceeded(self):
        made, sender = self.lay(wire.Line(10, 10))
        began = time.monotonic()
        self.received(self.connect(made, sender))
        self.assertGreaterEqual(time.monotonic() - began, SIZE * 8 / 10e6)

    def test_what_is_lost_at_random_is_sent_again(self):
        content = os.urandom(SIZE)
        made, sender = self.lay(wire.Line(10, 100, loss=0.02), content)
        self.assertEqual(self.received(self.connect(made, sender)), content)
        self.assertGreater(made.traffic().lost, 0)

    def test_a_queue_drops_what_does_not_fit(self):
        made, sender = self.lay(wire.Line(40, 10, queue=50_000))
        self.assertEqual(len(self.received(self.connect(made, sender))), SIZE)
        self.assertGreater(made.traffic().dropped, 0)

    def test_nothing_passes_while_the_line_is_cut(self):
        made, sender = self.lay(wire.Line(20, 10, events="drop 0.3 0.8"))
        self.assertEqual(len(self.received(self.connect(made, sender))), SIZE)
        traffic = made.traffic()
        self.assertGreater(traffic.cut, 0)
        step, flows = traffic.flows
        silent = [sum(flow[place] for flow in flows) for place in range(4, 7)]
        self.assertEqual((step, silent), (0.1, [0, 0, 0]))

    def test_all_connections_are_reset_and_new_ones_are_not(self):
        made, sender = self.lay(wire.Line(20, 10, events="reset 0.3"))
        with self.assertRaises(ConnectionResetError):
            self.received(self.connect(made, sender))
        self.assertEqual(len(self.received(self.connect(made, sender))), SIZE)
        traffic = made.traffic()
        self.assertEqual((traffic.connections, traffic.at_once), (2, 1))

    def test_connections_that_are_open_together_are_counted(self):
        made, sender = self.lay(wire.Line(20, 10))
        for _ in range(2):
            both = [self.connect(made, sender) for _ in range(2)]
            for connection in both:
                self.assertEqual(len(self.received(connection)), SIZE)
                connection.close()
        traffic = made.traffic()
        self.assertEqual((traffic.connections, traffic.at_once), (4, 2))

    def test_connections_of_an_old_address_fall_silent(self):
        made, sender = self.lay(wire.Line(20, 1))
        old = self.connect(made, sender)
        old.recv(1)
        made.roam()
        while True:
            # What had arrived before.
            old.settimeout(1)
            try:
                if not old.recv(65536):
                    self.fail("the old connection has come to its end")
            except TimeoutError:
                break
        new = self.connect(made, sender)
        self.assertEqual(new.getsockname()[0], made.address(0, 3))
        self.assertTrue(new.recv(1))

    def test_the_address_of_the_server_is_never_looked_up(self):
        made, _ = self.lay(wire.Line(20, 1))
        for move in (made.begin, made.roam, made.home):
            move()
            known = subprocess.run(
                ["ip", "-n", made.near, "neighbour"], check=True, capture_output=True, text=True).stdout
            self.assertRegex(known, rf"(?m)^{made.address(0)} .* PERMANENT")

    def test_namespaces_of_a_bench_that_was_killed_are_removed(self):
        gone = subprocess.Popen(["true"])
        gone.wait()
        subprocess.run(["ip", "netns", "add", f"segdl-wire-{gone.pid}-client"], check=True)
        wire.remove_leftovers()
        self.assertEqual(namespaces(gone.pid), [])


class ScenarioTests(unittest.TestCase):
    """`Scripts/bench`, but with a binary that is there."""

    segdl = ""

    def start(self, *arguments, python=sys.executable, **more):
        command = [python, SCENARIOS, "--segdl", self.segdl, "--quick", "--runs", "1", *arguments]
        return subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, **more)

    def test_a_scenario_compares_tools_and_leaves_nothing(self):
        bench = self.start("--only", "real-short", "--against", "curl")
        shown, errors = bench.communicate(timeout=LONGEST)
        self.assertEqual(bench.returncode, 0, errors)
        rows = {line.split("`")[1]: line for line in shown.splitlines() if re.match(r"\| `.*` \| [\d.]+ \(", line)}
        self.assertEqual(set(rows), {"segdl", "segdl -s 4", "segdl -s 8", "segdl -s 16", "curl"})
        _, _, _, _, _, twice, connections, requests, *_ = (cell.strip() for cell in rows["curl"].split("|"))
        self.assertLess(float(twice), 2)
        self.assertEqual((connections, requests), ("1", "1"))
        self.assertEqual(namespaces(bench.pid), [])

    def test_small_files_of_a_distant_server_share_several_connections(self):
        bench = self.start("--only", "real-list-small", "--against", "curl")
        shown, errors = bench.communicate(timeout=LONGEST)
        self.assertEqual(bench.returncode, 0, errors)
        row = next(line for line in shown.splitlines() if line.startswith("| `segdl` | "))
        connections = int(row.split("|")[6])
        self.assertIn(connections, range(2, 5))

    def test_an_interrupted_scenario_leaves_nothing(self):
        bench = self.start("--only", "real-satellite", "--against", "curl")
        try:
            wait_until(lambda: len(namespaces(bench.pid)) == 3)
        finally:
            os.killpg(bench.pid, signal.SIGINT)
        _, errors = bench.communicate(timeout=LONGEST)
        self.assertNotEqual(bench.returncode, 0, errors)
        self.assertEqual(namespaces(bench.pid), [])
        # Nor a process of its group: nginx, the forwarder, a tool.
        wait_until(lambda: not living(bench.pid))

    def test_without_root_it_says_why_and_ends_with_77(self):
        if not os.path.exists(DEBIAN_PYTHON):
            self.skipTest(f"no {DEBIAN_PYTHON}, and any other may be root's alone")
        bench = self.start(
            "--only", "real-short", python=DEBIAN_PYTHON, user=NOBODY, group=NOBODY, extra_groups=[],
            env={"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"})
        _, errors = bench.communicate(timeout=LONGEST)
        self.assertEqual(bench.returncode, 77, errors)
        self.assertIn("real-short is left out: network namespaces and raw sockets need root", errors)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    # A run in the background may ignore it, and the bench would as well.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    ScenarioTests.segdl = os.path.abspath(sys.argv[1])
    if reason := wire.missing():
        print(f"Left out: {reason}.")
        sys.exit(77)
    subprocess.run(
        ["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", PROGRAM, SCENARIOS / "wire.c"], check=True)
    tests = unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__])
    done = unittest.TextTestRunner().run(tests)
    HOME.cleanup()
    sys.exit(not done.wasSuccessful())


if __name__ == "__main__":
    main()
