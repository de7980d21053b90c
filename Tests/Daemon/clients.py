#!/usr/bin/env python3
"""Drives `segdl serve` with real front-ends of aria2, and aria2c with the same to know that the cases are right.

    Tests/Daemon/clients.py [--segdl PATH] [--aria2] [--webui PATH] [TEXT ...]

aria2p and Playwright are from PyPI, Chromium is Debian's. The built pages of webui-aria2 (its folder docs) are not in
this tree: --webui says where they are (default: ../shared/frontends/webui-aria2 beside the repository). Each client
that is not here is left out with its reason. With TEXT, only cases with one of these texts in their titles.
"""

import argparse
import pathlib
import shutil
import sys

import outcome
from bench import Bench
from client_cases import with_aria2p, with_webui
from daemons import Aria2, Segdl, scratch

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segdl", type=pathlib.Path, help="the command")
    parser.add_argument("--aria2", action="store_true", help="drive aria2c, too")
    parser.add_argument("--webui", type=pathlib.Path, default=ROOT.parent / "shared/frontends/webui-aria2")
    parser.add_argument("text", nargs="*")
    asked = parser.parse_args()
    with_webui.pages = asked.webui
    chosen = [case for file in (with_aria2p, with_webui) for case in file.cases
              if any(text in case.title for text in asked.text or [""])]
    status = 0
    with scratch() as home:
        benches = []
        if asked.segdl:
            program = asked.segdl.resolve()
            benches.append(Bench("segdl", lambda at: Segdl(program, at, "--rpc-allow-origin", with_webui.ORIGIN),
                                 home / "segdl"))
        if asked.aria2 and shutil.which("aria2c"):
            benches.append(Bench("aria2c", lambda at: Aria2(at, "--rpc-allow-origin-all"), home / "aria2c"))
        elif asked.aria2:
            print("left out: clients on aria2c: it is not installed (Debian's aria2)")
        for bench in benches:
            bench.run(chosen)
            status |= outcome.report(f"clients on {bench.name}", bench.results)
        with_webui.browser.close()
    sys.exit(status)


if __name__ == "__main__":
    main()
