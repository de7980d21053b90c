#!/usr/bin/env python3
"""Checks aria2's JSON-RPC, method by method, on the real aria2c and on `segdl serve`.

    Tests/Daemon/protocol.py [--segdl PATH] [--no-aria2] [--differences] [TEXT ...]

Each case states one expectation, and aria2c has to meet it: otherwise the case is wrong. Where we mean to differ, the
case says so with the reason; --differences prints these. With TEXT, only cases with one of these texts in their titles.
"""

import argparse
import pathlib
import shutil
import sys
import tempfile
import threading

import outcome
from daemons import Aria2, Segdl
from fileserver import FileServer
from protocol_cases import adding, control, ends, envelope, notifications, options, questions, tokens
from stand import Stand

FILES = [envelope, tokens, adding, control, questions, options, ends, notifications]


class Bench:
    """One target: a daemon that most cases share, and one for each case that changes more than its downloads."""

    def __init__(self, name, make, home):
        self.name, self.make, self.home = name, make, home
        self.files = FileServer()
        self.results, self.called, self.differences = [], set(), {}

    def stand(self, name):
        return Stand(self.make(self.home / name), self.files)

    def run(self, chosen):
        self.shared = self.stand("shared")
        for number, case in enumerate(chosen):
            self.results.append(self.one(case, number))
        self.finish(self.shared)
        self.files.stop()

    def one(self, case, number):
        if "own" not in case.options:
            result = outcome.run(case, self.shared)
            try:
                self.shared.reset()
            except Exception as error:
                result.fault = f"{result.fault} The daemon could not be cleared after it: {error!r}".strip()
                self.shared.daemon.kill()
                self.shared = self.stand(f"after-{number}")
            return result
        own = self.stand(f"own-{number}")
        try:
            return outcome.run(case, own)
        finally:
            self.finish(own)

    def finish(self, stand):
        self.called |= stand.called
        self.differences |= stand.differences
        stand.daemon.stop()

    def coverage(self):
        """A method that no case calls is a fault of the cases."""
        missing = envelope.METHODS - self.called - {
            "system.multicall", "system.listMethods", "system.listNotifications"}
        fault = f"not called: {', '.join(sorted(missing))}" if missing else ""
        return outcome.Result("every method is called", fault)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segdl", type=pathlib.Path, help="the command")
    parser.add_argument("--no-aria2", action="store_true", help="only segdl")
    parser.add_argument("--differences", action="store_true", help="print where we mean to differ")
    parser.add_argument("text", nargs="*")
    asked = parser.parse_args()
    sys.setswitchinterval(0.0005)
    chosen = [case for file in FILES for case in file.cases if any(text in case.title for text in asked.text or [""])]
    status = 0
    with tempfile.TemporaryDirectory(prefix="segdl-protocol-") as home:
        home = pathlib.Path(home)
        benches = []
        if asked.segdl:
            program = asked.segdl.resolve()
            benches.append(Bench("segdl", lambda at: Segdl(program, at, "--retries", "1"), home / "segdl"))
        if not asked.no_aria2 and shutil.which("aria2c"):
            benches.append(Bench("aria2c", lambda at: Aria2(at, "--max-tries=2"), home / "aria2c"))
        elif not asked.no_aria2:
            print("left out: protocol on aria2c: it is not installed (Debian's aria2)")
        threads = [threading.Thread(target=bench.run, args=[chosen], daemon=True) for bench in benches]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for bench in benches:
        results = bench.results if asked.text else [*bench.results, bench.coverage()]
        status |= outcome.report(f"protocol on {bench.name}", results)
        # A thread that ended before its last case says so by the count.
        status |= len(bench.results) != len(chosen)
    if asked.differences and benches:
        for because, (theirs, ours) in benches[0].differences.items():
            print(f"differs: {because}: aria2 {theirs}, segdl {ours}")
    sys.exit(status)


if __name__ == "__main__":
    main()
