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
import threading

import outcome
from bench import Bench
from daemons import Aria2, Segdl, scratch
from protocol_cases import adding, control, ends, envelope, metalinks, notifications, options, questions, tokens

FILES = [envelope, tokens, adding, metalinks, control, questions, options, ends, notifications]


def coverage(bench):
    """A method that no case calls is a fault of the cases."""
    missing = envelope.METHODS - bench.called - {"system.multicall", "system.listMethods", "system.listNotifications"}
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
    with scratch() as home:
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
        results = bench.results if asked.text else [*bench.results, coverage(bench)]
        status |= outcome.report(f"protocol on {bench.name}", results)
        # A thread that ended before its last case says so by the count.
        status |= len(bench.results) != len(chosen)
    if asked.differences and benches:
        for because, (theirs, ours) in benches[0].differences.items():
            print(f"differs: {because}: aria2 {theirs}, segdl {ours}")
    sys.exit(status)


if __name__ == "__main__":
    main()
