"""A page in a browser, as the tests look at it."""

import pathlib

import axe_playwright_python
from fake import FILES, POLICY, TYPES
from playwright.sync_api import expect

AXE = pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js"
# A daemon that is gone, a wrong secret and a name that is taken are shown by the browser, too.
EXPECTED = ("ERR_CONNECTION_REFUSED", "401", "409", "ERR_INCOMPLETE_CHUNKED", "ERR_CONNECTION_RESET",
            "ERR_EMPTY_RESPONSE")
# Milliseconds: for a page that never gets there, and not for a busy machine.
LIMIT = 60_000
expect.set_options(timeout=LIMIT)


class Visit:
    """Opens the page, and fails on errors of the console, on requests to elsewhere and on dialogs of scripts."""

    # Whether the page's files come from the tree, and not from the daemon.
    is_from_tree = False

    def __init__(self, browser, url, secret="secret", has_clock=False, **context):
        self.url = url
        self.context = browser.new_context(**context)
        self.page = self.context.new_page()
        self.page.set_default_timeout(LIMIT)
        self.faults, self.asked = [], []
        self.page.on("console", lambda message: self.note(message) if message.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("request", self.look)
        self.page.on("dialog", self.refuse)
        if self.is_from_tree:
            self.context.route(lambda address: address == url or address.startswith(f"{url}page/"), self.answer)
        if has_clock:
            self.page.clock.install()
        self.page.goto(f"{url}#token={secret}")

    def answer(self, route):
        path = FILES / (route.request.url.removeprefix(self.url).removeprefix("page/").split("#")[0] or "index.html")
        route.fulfill(path=path, headers={"Content-Type": TYPES[path.suffix], "Content-Security-Policy": POLICY})

    def look(self, request):
        self.asked.append(request.url)
        if not request.url.startswith((self.url, "data:", "blob:")):
            self.faults.append(f"asked {request.url}")

    def refuse(self, dialog):
        self.faults.append(f"a script said {dialog.message}")
        dialog.dismiss()

    def note(self, message):
        if not any(part in message.text for part in EXPECTED):
            self.faults.append(message.text)

    def __enter__(self):
        return self.page

    def __exit__(self, kind, *_):
        self.context.close()
        if kind is None and self.faults:
            raise AssertionError(f"the browser reports {self.faults}")


def paste(page, text):
    page.fill("#urls", text)
    page.press("#urls", "Control+Enter")


def check_rules(page, place):
    """Checks axe-core's rules; the page needs a context with bypass_csp."""
    page.evaluate(AXE.read_text())
    violations = page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]
    told = [(found["id"], found["help"], [node["html"][:120] for node in found["nodes"][:2]]) for found in violations]
    assert not told, f"{place}: {told}"
