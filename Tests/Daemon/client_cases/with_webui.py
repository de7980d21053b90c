"""webui-aria2 in a headless Chromium: somebody clicks, and the daemon does it.

Its built pages are not part of this tree.
"""

import contextlib
import functools
import http.server
import importlib.util
import json
import os
import pathlib
import shutil
import threading
import urllib.parse

from daemons import free_port, until
from outcome import Cases, LeftOut, holds, same

cases = Cases()
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
# Where the pages are; clients.py sets it.
pages = pathlib.Path()
# The port of the pages, which the daemon has to allow before it starts; clients.py passes the origin.
port = free_port()
ORIGIN = f"http://127.0.0.1:{port}"


def missing():
    """What is not here, or None."""
    if not (pages / "index.html").is_file():
        return f"the built pages of webui-aria2 are not at {pages} (--webui PATH)"
    if not importlib.util.find_spec("playwright"):
        return "Playwright is not installed (pip install playwright)"
    if not os.access(CHROMIUM, os.X_OK):
        return "there is no Chromium (Debian's chromium)"
    return None


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served():
    """The pages on a server of their own."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(Quiet, directory=str(pages)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


class Browser:
    """One Chromium for all cases; it starts with the first, and needs the thread of that."""

    def __init__(self):
        self.stack, self.chromium = contextlib.ExitStack(), None

    def context(self):
        if not self.chromium:
            from playwright.sync_api import sync_playwright
            player = self.stack.enter_context(sync_playwright())
            self.chromium = player.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            self.stack.callback(self.chromium.close)
        return self.chromium.new_context(viewport={"width": 1400, "height": 1000})

    def close(self):
        self.stack.close()
        self.chromium = None


browser = Browser()


@contextlib.contextmanager
def shown(it):
    """The page in a browser, connected to the daemon."""
    if reason := missing():
        raise LeftOut(reason)
    with served():
        context = browser.context()
        try:
            # Nothing from elsewhere: the page asks for a font.
            context.route("**/*", lambda route: route.continue_() if "//127.0.0.1:" in route.request.url
                          else route.abort())
            settings = {"host": "127.0.0.1", "port": it.port, "path": "/jsonrpc", "encrypt": False,
                        "auth": {"token": it.daemon.secret}, "directURL": ""}
            context.add_cookies([{"name": "aria2conf", "value": urllib.parse.quote(json.dumps(settings)),
                                  "url": ORIGIN}])
            context.add_init_script("window.confirm = () => true")
            page = context.new_page()
            page.set_default_timeout(30_000)
            page.goto(f"{ORIGIN}/index.html", wait_until="domcontentloaded")
            page.wait_for_selector("text=Successfully connected")
            yield page
        finally:
            context.close()


def row(page, gid):
    return page.locator(f'.download[data-gid="{gid}"]')


def click(page, gid, what):
    """Clicks a button of a download; the list is drawn again each second, so that a click is repeated."""
    row(page, gid).locator(f'button[ng-click="{what}(download)"]').first.click()


def menu(page, name, item):
    page.locator("a.dropdown-toggle", has_text=name).first.click()
    page.locator("ul.dropdown-menu a", has_text=item).first.click()


@cases("webui-aria2: shows what each list has, with its state and error")
def shows(it):
    done, failed = it.add("file/1000/done.bin"), it.add("status/404/f.bin")
    paused = it.paused("late/p.bin", out="p.bin")
    active = it.add("slow/50000/3000000/a.bin", split="1")
    it.until_state(done, "complete")
    it.until_state(failed, "error")
    it.until_bytes(active)
    with shown(it) as page:
        for gid, words in ((done, "done.bin"), (active, "a.bin"), (paused, "p.bin"), (failed, "f.bin")):
            row(page, gid).wait_for()
            holds(words in row(page, gid).inner_text(), f"{words} is not in {row(page, gid).inner_text()!r}")
        row(page, active).locator("text=Active").wait_for()
        row(page, done).locator("text=Complete").wait_for()
        same(page.locator(".alert-danger").count(), 0, "alerts")


@cases("webui-aria2: adds two downloads, one with a name and a directory")
def adds(it):
    with shown(it) as page:
        menu(page, "Add", "By URIs")
        text = f"{it.files.url('file/1000/one.bin')}\n{it.files.url('file/2000/two.bin')} --out=named.bin"
        page.fill("textarea[ng-model='getUris.uris']", text)
        page.locator("button", has_text="Start").click()
        until(lambda: len(it.result("tellStopped", 0, 10)) == 2, lambda: "two are complete")
        same([(it.directory / name).stat().st_size for name in ("one.bin", "named.bin")], [1000, 2000], "files")
        page.locator(".download", has_text="named.bin").wait_for()


@cases("webui-aria2: pauses, resumes and removes")
def controls(it):
    gid = it.add("slow/50000/3000000/c.bin", split="1")
    it.until_bytes(gid)
    with shown(it) as page:
        click(page, gid, "pause")
        it.until_state(gid, "paused")
        click(page, gid, "resume")
        it.until_state(gid, "active")
        menu(page, "Manage", "Pause All")
        it.until_state(gid, "paused")
        menu(page, "Manage", "Resume Paused")
        it.until_state(gid, "active")
        click(page, gid, "remove")
        until(lambda: gid not in it.active(), lambda: "it is removed")
        menu(page, "Manage", "Purge Completed")
        until(lambda: not it.result("tellStopped", 0, 10), lambda: "nothing is left")
        row(page, gid).wait_for(state="detached")


@cases("webui-aria2: restarts a failed download")
def restarts(it):
    gid = it.add("status/404/r.bin", out="r.bin", header=["X-A: 1"])
    it.until_state(gid, "error")
    with shown(it) as page:
        click(page, gid, "restart")
        until(lambda: len(it.files.asked("r.bin")) > 1, lambda: "it is asked for again")
        until(lambda: it.active() == [], lambda: "it ends again")
        same(it.files.asked("r.bin")[-1]["X-A"], "1", "header of the restart")


@cases("webui-aria2: moves a download in the queue", "own")
def moves(it):
    it.result("changeGlobalOption", {"max-concurrent-downloads": "1"})
    gids = [it.add(f"slow/5000/3000000/{name}.bin", split="1") for name in "abc"]
    until(lambda: it.waiting() == gids[1:], lambda: "two wait")
    with shown(it) as page:
        click(page, gids[2], "moveUp")
        until(lambda: it.waiting() == [gids[2], gids[1]], lambda: str(it.waiting()))
        click(page, gids[2], "moveDown")
        until(lambda: it.waiting() == gids[1:], lambda: str(it.waiting()))


@cases("webui-aria2: changes options of a download and of the daemon", "own")
def options(it):
    gid = it.add("slow/50000/3000000/o.bin", split="1")
    it.until_bytes(gid)

    def change(page, name, value):
        page.fill("input[ng-model='propFilter']", name)
        field = page.locator(".modal-body .form-group", has=page.locator("label", has_text=name))
        field.locator("input.form-control:visible").first.fill(value)
        page.locator(".modal-footer button.btn-primary").click()

    with shown(it) as page:
        click(page, gid, "showSettings")
        change(page, "max-download-limit", "40K")
        until(lambda: it.result("getOption", gid)["max-download-limit"] == "40960", lambda: "the limit is set")
        menu(page, "Settings", "Global Settings")
        change(page, "max-overall-download-limit", "300K")
        until(lambda: it.result("getGlobalOption")["max-overall-download-limit"] == "307200", lambda: "the cap is set")
        menu(page, "Settings", "Server info")
        page.locator(".modal-body", has_text="1.36").wait_for()


@cases("webui-aria2: shuts the daemon down", "own")
def shuts_down(it):
    with shown(it) as page:
        menu(page, "Manage", "Shutdown Server")
        it.daemon.process.wait(20)
