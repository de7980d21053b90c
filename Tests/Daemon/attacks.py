#!/usr/bin/env python3
"""Attacks `segdl serve` over real sockets: each attack says what it would do, and has to fail.

    Tests/Daemon/attacks.py --segdl PATH [--aria2] [--quick] [TEXT ...]

With --aria2 the same attacks run against aria2c, and a table says which of them succeed there: these are no faults.
--quick leaves out slow requests, which last more than a minute. With TEXT, only attacks with one of these texts in
their titles.
"""

import argparse
import pathlib
import shutil
import sys

import outcome
from attack_cases import files, framing, headers, hosts, page, secret, sizes, sockets
from attack_cases.slow import SlowRequests
from behaviours import BehavingServer
from daemons import SECRET, Aria2, Segdl, scratch
from stand import Stand

FILES = [files, hosts, framing, sizes, sockets, secret, headers, page]


class Siege:
    """One target, and what each attack on it came to. A daemon that an attack has ended is started again."""

    def __init__(self, name, make, home):
        self.name, self.make, self.home = name, make, pathlib.Path(home)
        self.files, self.results, self.shared, self.count = BehavingServer(), [], None, 0

    def stand(self, *options, secret=SECRET):
        self.count += 1
        return Stand(self.make(self.home / str(self.count), *options, secret=secret), self.files)

    def run(self, chosen, is_quick):
        slow = None if is_quick else SlowRequests(self.stand())
        for case in chosen:
            self.results.append(self.one(case))
        for kind in slow.sockets if slow else ():
            case = outcome.Case(f"slow {kind}: a byte every half a second, on many connections", slow.check)
            self.results.append(outcome.run(case, kind))
        for stand in (self.shared, slow and slow.it):
            if stand:
                stand.daemon.stop()
        self.files.stop()

    def one(self, case):
        if "segdl" in case.options and self.name != "segdl":
            return outcome.Result(case.title, reason="aria2c has no such thing")
        if "own" in case.options:
            flags = [option for option in case.options if option not in ("own", "none", "segdl")]
            stand = self.stand(*flags, secret=None if "none" in case.options else SECRET)
        else:
            self.shared = stand = self.shared or self.stand()
        result = outcome.run(case, stand)
        # An attack that asks for the end of its own daemon gets it.
        if not stand.daemon.is_running and stand.daemon.process.returncode != 0:
            code = stand.daemon.process.returncode
            result.fault = f"{result.fault} The daemon ended with {code}: {stand.daemon.words()}".strip()
        self.clear(stand, result)
        return result

    def clear(self, stand, result):
        if stand is not self.shared:
            stand.daemon.stop()
            return
        try:
            stand.reset()
        except Exception as error:
            result.fault = f"{result.fault} The daemon could not be cleared after it: {error!r}".strip()
        # aria2c gets a new one after each attack that succeeded.
        if result.fault:
            stand.daemon.kill()
            self.shared = None


def table(sieges):
    columns = [{result.title: result for result in siege.results} for siege in sieges]
    print("| attack |", " | ".join(siege.name for siege in sieges), "|\n|---|" + "---|" * len(sieges))
    for title in columns[0]:
        words = ["–" if column[title].reason else "succeeds" if column[title].fault else "fails" for column in columns]
        print(f"| {title} |", " | ".join(words), "|")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segdl", type=pathlib.Path, help="the command")
    parser.add_argument("--aria2", action="store_true", help="attack aria2c, too, and print a table")
    parser.add_argument("--quick", action="store_true", help="without slow requests")
    parser.add_argument("text", nargs="*")
    asked = parser.parse_args()
    chosen = [case for file in FILES for case in file.cases if any(text in case.title for text in asked.text or [""])]
    sieges = []
    with scratch() as home:
        if asked.segdl:
            program = asked.segdl.resolve()
            sieges.append(Siege("segdl", lambda *at, **more: Segdl(program, *at, **more), f"{home}/segdl"))
        if asked.aria2 and shutil.which("aria2c"):
            sieges.append(Siege("aria2c", Aria2, f"{home}/aria2c"))
        elif asked.aria2:
            print("left out: attacks on aria2c: it is not installed (Debian's aria2)")
        for siege in sieges:
            siege.run(chosen, asked.quick or bool(asked.text))
    status = 0
    for siege in sieges:
        if siege.name == "segdl":
            status = outcome.report("attacks on segdl", siege.results)
        else:
            for result in siege.results:
                if result.fault:
                    print(f"succeeds on {siege.name}: {result.title}\n    {result.fault}")
    if asked.aria2 and sieges:
        table(sieges)
    sys.exit(status)


if __name__ == "__main__":
    main()
