#!/usr/bin/env python3
"""Opens the daemon's page in a real browser and does what a person does.

    Tests/Page/run.py                           with downloads that are only played
    Tests/Page/run.py SEGDL                     and with a daemon of that program
    Tests/Page/run.py --daemon URL --token T    only what leaves a daemon that is in use as it was
    Tests/Page/run.py --pictures DIRECTORY      takes the pictures of the README

It needs Debian's chromium, and playwright and axe-playwright-python from PyPI. Without them it ends with 77.
"""

import argparse
import os
import sys
import tempfile
import time
import traceback

try:
    import axe_playwright_python  # noqa: F401
    from playwright.sync_api import sync_playwright
except ImportError as missing:
    print(f"Left out: {missing}; Scripts/install-clients installs it.")
    sys.exit(77)

import fake_cases
import pictures
import real_cases
from slow_server import SlowServer
from visit import Visit

CHROMIUM = "/usr/bin/chromium"


class Tally:
    """Runs cases and counts them."""

    def __init__(self, only):
        self.only, self.passed, self.failed = only, 0, 0

    def run(self, case, *arguments):
        if self.only not in case.__name__:
            return
        start = time.monotonic()
        try:
            case(*arguments)
            self.passed += 1
            print(f"passed: {case.__name__} ({time.monotonic() - start:.1f} s)", flush=True)
        except Exception as error:
            self.failed += 1
            line = traceback.extract_tb(error.__traceback__)[1].lineno
            print(f"failed: {case.__name__}, line {line}: {error}", flush=True)


def with_real_daemon(browser, segdl, tally):
    with SlowServer() as server, tempfile.TemporaryDirectory() as directory:
        daemon = real_cases.Daemon(segdl, directory).start()
        try:
            for case in real_cases.CASES:
                tally.run(case, browser, daemon, server)
                daemon.clear()
        finally:
            daemon.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("segdl", nargs="?", type=os.path.abspath)
    parser.add_argument("--daemon", metavar="URL", help="a daemon that runs, as http://127.0.0.1:6800/")
    parser.add_argument("--token", default="", help="its secret")
    parser.add_argument("--pictures", metavar="DIRECTORY", help="only take the pictures of the README")
    parser.add_argument("--only", default="", help="only cases with this in their name")
    parser.add_argument(
        "--tree", action="store_true", help="take the page's files from the tree, not from the program"
    )
    arguments = parser.parse_args()
    if not os.path.exists(CHROMIUM):
        print("Left out: Debian's chromium is not installed; Scripts/install-clients installs it.")
        sys.exit(77)
    Visit.is_from_tree = arguments.tree
    tally = Tally(arguments.only)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        if arguments.pictures:
            pictures.take(browser, arguments.pictures)
        elif arguments.daemon:
            url = arguments.daemon.rstrip("/") + "/"
            tally.run(real_cases.serves_what_it_is_given, browser, url, arguments.token)
        else:
            for case in fake_cases.CASES:
                tally.run(case, browser)
            if arguments.segdl:
                with_real_daemon(browser, arguments.segdl, tally)
        browser.close()
    if not arguments.pictures:
        print(f"page: {tally.passed} passed, {tally.failed} failed")
    sys.exit(1 if tally.failed else 0)


if __name__ == "__main__":
    main()
