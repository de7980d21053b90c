#!/usr/bin/env python3
"""Opens the documentation site in a real browser as files, without a server: Tests/Site/run.py SITE

Searches, looks for pages that are wider than a telephone, and for anything that comes from elsewhere. It needs Debian's
chromium, and playwright and axe-playwright-python from PyPI; without them it ends with 77.
"""

import pathlib
import re
import sys

try:
    import axe_playwright_python
    from playwright.sync_api import sync_playwright
except ImportError as missing:
    print(f"Left out: {missing}; Scripts/install-clients installs it.")
    sys.exit(77)

AXE = pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js"
# Styles cannot be asked for again from a page that was opened as a file.
RULES = "axe.run(document, {preload: false, runOnly: ['wcag2a', 'wcag2aa']})"
CHROMIUM = "/usr/bin/chromium"
# One page of each kind: the front page, one with wide tables, a man page, a type of the library, a guide.
PAGES = [
    "index.html", "docs/switching.html", "docs/aria2.html", "manual/segdl-fetch.html",
    "library/SegmentedDL/DownloadRequest.html", "library/SegmentedDLQueue/GettingStartedWithQueues.html"]
# Words, and the page that has to be among the first results: of docs, the manual, the library and its guides.
SEARCHES = {
    "aria2 save-session": "docs/aria2.html", "stream-order": "manual/segdl-fetch.html",
    "DownloadManager": "library/SegmentedDLQueue/DownloadManager.html",
    "queue outlives process": "library/SegmentedDLQueue/GettingStartedWithQueues.html"}


class Visit:
    def __init__(self, browser, site, **context):
        self.site, self.faults = site, []
        self.page = browser.new_context(**context).new_page()
        # A limit for a page that never gets there, not for a busy machine.
        self.page.set_default_timeout(60_000)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda message: self.faults.append(message.text) if message.type == "error" else None)
        self.page.on("request", self.look)

    def look(self, request):
        if not request.url.startswith(("file:", "about:", "data:", "blob:")):
            self.faults.append(f"{self.page.url} asks for {request.url}")

    def open(self, name):
        self.page.goto(f"{self.site.as_uri()}/{name}")


def result(visit, words, wanted):
    """The link to a page among the results for some words."""
    visit.page.keyboard.press("Control+k")
    visit.page.get_by_role("combobox", name="Search").fill(words)
    return visit.page.locator(f'dialog a[href*="{wanted}"]').first


def search(visit):
    for words, wanted in SEARCHES.items():
        visit.open("docs/command.html")
        result(visit, words, wanted).wait_for()


def follow_search(visit):
    """A result leads to its page."""
    visit.open("manual/segdl.html")
    result(visit, "threat model", "docs/threat-model.html").click()
    visit.page.wait_for_url("**/docs/threat-model.html*")


def fits_telephone(visit):
    visit.page.set_viewport_size({"width": 390, "height": 844})
    for name in PAGES:
        visit.open(name)
        width = visit.page.evaluate("document.scrollingElement.scrollWidth")
        if width > 390:
            raise AssertionError(f"{name} is {width} pixels wide")


def is_dark(visit):
    visit.page.emulate_media(color_scheme="dark")
    for name in PAGES:
        visit.open(name)
        colour = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
        if max(map(int, re.findall(r"\d+", colour)[:3])) > 80:
            raise AssertionError(f"{name} has the background {colour}")


def is_accessible(visit):
    """axe finds no fault by the rules of WCAG's levels A and AA."""
    for scheme in ("light", "dark"):
        visit.page.emulate_media(color_scheme=scheme)
        for name in PAGES:
            visit.open(name)
            visit.page.evaluate(AXE.read_text(encoding="utf-8"))
            found = visit.page.evaluate(RULES)["violations"]
            if found:
                raise AssertionError(f"{name}, {scheme}: {found[0]['help']}: {found[0]['nodes'][0]['html'][:200]}")


def shows_pictures(visit):
    for name in ("index.html", "docs/command.html", "docs/daemon.html", "Benchmarks/2026-11-22-speed.html"):
        visit.open(name)
        visit.page.wait_for_load_state()
        missing = visit.page.evaluate("[...document.images].filter(i => !i.naturalWidth).map(i => i.src)")
        if missing or not visit.page.evaluate("document.images.length"):
            raise AssertionError(f"{name} does not show {missing or 'any picture'}")


def main(site):
    failed = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for case in (search, follow_search, fits_telephone, is_dark, is_accessible, shows_pictures):
            visit = Visit(browser, site)
            try:
                case(visit)
            except Exception as error:
                visit.faults.append(str(error))
            print(f"{'failed' if visit.faults else 'passed'}: {case.__name__}", *visit.faults, flush=True)
            failed += bool(visit.faults)
        browser.close()
    return failed


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.splitlines()[0])
    sys.exit(1 if main(pathlib.Path(sys.argv[1]).resolve()) else 0)
