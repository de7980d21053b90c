"""What a person does with the page of a real daemon."""

import json
import pathlib
import signal
import subprocess
import sys
import urllib.request
import uuid

from playwright.sync_api import expect
from visit import Visit, check_rules, paste

sys.path.append(str(pathlib.Path(__file__).parents[1] / "Daemon"))
from tree import Tree  # noqa: E402

SECRET = "page-secret"


class Daemon:
    """segdl serve with a queue of its own; it can be killed and started again at the same port."""

    def __init__(self, segdl, directory):
        self.segdl, self.directory, self.port, self.process = segdl, directory, 0, None

    def start(self):
        self.process = subprocess.Popen(
            [
                self.segdl,
                "serve",
                "--listen",
                f"127.0.0.1:{self.port}",
                "--queue",
                "queue.sqlite",
                "-d",
                "files",
                "--rpc-secret",
                SECRET,
                "-j",
                "2",
            ],
            cwd=self.directory,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        line = self.process.stdout.readline()
        self.port = int(line.rsplit(":", 1)[1].strip().rstrip("/"))
        return self

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/"

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"{self.url}api/v1/{path}", data, {"Authorization": f"Bearer {SECRET}"}, method=method
        )
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def add(self, *urls, **options):
        self.call("POST", "downloads", {"downloads": [{"url": url, **options} for url in urls]})

    def clear(self):
        self.call("POST", "actions", {"action": "remove", "ids": "all", "withFiles": True})


def adds_by_paste(browser, daemon, server):
    with Visit(browser, daemon.url, SECRET) as page:
        expect(page.locator(".welcome")).to_be_visible()
        paste(page, f"{server.url()}small.txt\n# a comment\n{server.url()}missing")
        expect(page.locator(".row.completed .name")).to_have_text("small.txt")
        expect(page.locator(".row.failed .what")).to_contain_text("404")
        expect(page.locator("#count-done")).to_have_text("1")
        expect(page.locator("#count-failed")).to_have_text("1")
        expect(page.locator("#urls")).to_have_value("")
        assert page.url == daemon.url, "the secret stays in the address"
        # A link is added, words are prose, and the daemon says of the rest why it is none.
        paste(page, f"host.example/file\nsome words\nmagnet:?xt=1\n{server.url()}other")
        expect(page.locator("#message")).to_contain_text("use another program for torrents")
        expect(page.locator("#message")).to_contain_text("write it with its scheme")
        expect(page.locator("#urls")).to_have_value("host.example/file\nmagnet:?xt=1")
    assert (pathlib.Path(daemon.directory) / "files" / "small.txt").read_bytes() == server.small


def shows_what_is_there_already(browser, daemon, server):
    with Visit(browser, daemon.url, SECRET) as page:
        paste(page, f"{server.url()}small.txt")
        expect(page.locator(".row.completed .name")).to_have_text("small.txt")
        paste(page, f"{server.url()}small.txt\n{server.url()}slow.bin")
        expect(page.locator("#message")).to_have_text("1 download added. “small.txt” is in the list already.")
        expect(page.locator(".row .name")).to_have_text(["slow.bin", "small.txt"])


def explains_a_digest_that_does_not_fit(browser, daemon, server):
    daemon.add(f"{server.url()}small.txt", checksum=f"sha-256={'0' * 64}")
    with Visit(browser, daemon.url, SECRET) as page:
        words = "The bytes are not what the sha256 says. They are kept as"
        expect(page.locator(".row.failed .what")).to_have_text(
            f"Failed: {words} small.txt.rejected, and not as small.txt."
        )
        page.locator(".row").click()
        kept = pathlib.Path(daemon.directory).resolve() / "files" / "small.txt.rejected"
        expect(page.locator(".reason.bad")).to_have_text(f"{words} {kept}, and not as small.txt.")
        assert kept.read_bytes() == server.small
        kept.unlink()


def says_what_is_wrong(browser, daemon, server):
    with Visit(browser, daemon.url, SECRET) as page:
        paste(page, "ftp://host/file")
        expect(page.locator("#message")).to_contain_text("http and https are")
        expect(page.locator("#urls")).to_have_value("ftp://host/file")
        page.click("summary")
        page.fill("#add-name", "../../outside")
        paste(page, f"{server.url()}small.txt")
        place = pathlib.Path(daemon.directory).resolve() / "files"
        expect(page.locator("#message")).to_contain_text(
            f"is not a path for files of this daemon; choose one below '{place}'"
        )
        expect(page.locator("#count-all")).to_have_text("0")


def filters_and_searches(browser, daemon, server):
    daemon.add(f"{server.url()}small.txt", f"{server.url()}missing")
    with Visit(browser, daemon.url, SECRET) as page:
        expect(page.locator(".row")).to_have_count(2)
        page.click("#filter-failed")
        expect(page.locator(".row .name")).to_have_text(["missing"])
        page.click("#filter-all")
        page.fill("#search", "SMALL")
        expect(page.locator(".row .name")).to_have_text(["small.txt"])
        page.fill("#search", "nothing like that")
        expect(page.locator(".row")).to_have_count(0)


def keys_work(browser, daemon, server):
    daemon.add(f"{server.url()}slow.bin", name="first")
    daemon.add(f"{server.url()}slow.bin?2", name="second", paused=True)
    daemon.add(f"{server.url()}slow.bin?3", name="third", paused=True)
    with Visit(browser, daemon.url, SECRET) as page:
        names = page.locator(".row .name")
        expect(page.locator(".row.downloading .name")).to_have_text(["first"])
        page.focus("#list")
        page.keyboard.press("Home")
        page.keyboard.press("Space")
        expect(page.locator(".row.paused")).to_have_count(3)
        page.keyboard.press("Space")
        expect(page.locator(".row.downloading .name")).to_have_text(["first"])
        page.keyboard.press("End")
        page.keyboard.press("Alt+ArrowUp")
        expect(names).to_have_text(["first", "third", "second"])
        page.keyboard.press("Home")
        page.keyboard.press("Enter")
        expect(page.locator("#details h2")).to_have_text("first")
        expect(page.locator("#details .reason")).not_to_be_empty()
        page.keyboard.press("Escape")
        expect(page.locator("#details")).to_be_hidden()
        page.keyboard.press("Control+a")
        expect(page.locator("#chosen")).to_have_text("3 chosen")
        page.keyboard.press("Delete")
        page.click("dialog button[type=submit]")
        expect(page.locator("#count-all")).to_have_text("0")
        page.keyboard.press("?")
        expect(page.locator("dialog h2")).to_have_text("Keys")


def shows_the_proof(browser, daemon, server):
    daemon.add(f"{server.url()}small.txt", checksum=f"sha-256={server.digest}")
    with Visit(browser, daemon.url, SECRET) as page:
        page.locator(".row.completed").click()
        place = pathlib.Path(daemon.directory).resolve() / "files" / "small.txt"
        expect(page.locator("#details code")).to_have_text(f"{server.digest}  {place}")
        expect(page.locator("#details")).to_contain_text("verified")


def says_who_named_the_digest(browser, daemon, server):
    with Visit(browser, daemon.url, SECRET) as page:
        paste(page, f"{server.digest}  {server.url()}small.txt")
        page.locator(".row.completed").click()
        expect(page.locator(".proof")).to_contain_text(
            "Its sha256 is the one that stands in the list of checksums, and that the server sent as Repr-Digest."
        )
        paste(page, f"{server.url()}other.txt")
        page.locator(".row.completed", has_text="other").click()
        expect(page.locator(".proof")).to_contain_text("Its sha256 is the one that the server sent as Repr-Digest.")


def says_that_it_began_again(browser, daemon, server):
    with Visit(browser, daemon.url, SECRET) as page:
        paste(page, f"{server.url()}plain.bin")
        why = "because the server sends no byte ranges"
        words = f"It started over {why}; earlier bytes do not count."
        expect(page.locator(".row.downloading .what")).to_have_text(words)
        page.locator(".row.downloading").click()
        expect(page.locator("#details .reason")).to_have_text(words)
        expect(page.locator("#details dl")).to_contain_text("1.00 MiB fetched twice or not needed")


def open_completed(page, name):
    """A row that ends moves the others, perhaps below the pointer, which then opens another one."""
    for _ in range(10):
        page.locator(".row.completed", has_text=name).click()
        if name in page.locator("#details h2").inner_text():
            return
    raise AssertionError(f"{name} does not open")


def shows_the_cost(browser, daemon, server):
    with Visit(browser, daemon.url, SECRET) as page:
        paste(page, f"{server.url()}busy.txt\n{server.url()}small.txt")
        expect(page.locator(".row.completed")).to_have_count(2)
        open_completed(page, "small")
        expect(page.locator("#details dl")).to_contain_text("None: each byte was received once")
        open_completed(page, "busy")
        expect(page.locator("#details dl")).to_contain_text("1 request refused by a busy server")


def changes_the_cap(browser, daemon, _):
    with Visit(browser, daemon.url, SECRET) as page:
        expect(page.locator("#cap")).to_have_text("no limit")
        page.click("#cap")
        page.fill("#cap-input", "2 MB")
        page.keyboard.press("Enter")
        expect(page.locator("#cap")).to_have_text("of 2.00 MiB/s")
    assert daemon.call("GET", "status")["limits"]["bytesPerSecond"] == 2 << 20
    daemon.call("PATCH", "limits", {"bytesPerSecond": None})


def shows_hostile_names_as_text(browser, daemon, server):
    name = "<img src=x onerror=alert(1)>'\"&amp;"
    daemon.add(f"{server.url()}small.txt", name=name)
    with Visit(browser, daemon.url, SECRET) as page:
        expect(page.locator(".row .name")).to_have_text(name)
        page.locator(".row").click()
        expect(page.locator("#details h2")).to_have_text(name)
        assert page.locator(".row img, #details img").count() == 0


def comes_back_by_itself(browser, daemon, server):
    daemon.add(f"{server.url()}small.txt")
    with Visit(browser, daemon.url, SECRET) as page:
        expect(page.locator(".row.completed")).to_have_count(1)
        daemon.kill()
        expect(page.locator("#offline")).to_contain_text("does not answer")
        daemon.start()
        expect(page.locator("#offline")).to_be_hidden(timeout=20_000)
        daemon.add(f"{server.url()}small.txt?again")
        expect(page.locator("#count-all")).to_have_text("2")


def asks_for_the_secret(browser, daemon, _):
    with Visit(browser, daemon.url, SECRET) as page:
        expect(page.locator("#count-all")).to_have_text("0")
        page.evaluate("sessionStorage.setItem('segdl-secret', 'wrong')")
        page.reload()
        expect(page.locator("dialog h2")).to_have_text("Enter the secret")
        page.fill("#secret", SECRET)
        page.click("dialog button[type=submit]")
        expect(page.locator("#count-all")).to_have_text("0")


def scrolls_through_thousands(browser, daemon, server):
    daemon.add(*(f"{server.url()}small.txt?{index}" for index in range(1_500)), paused=True)
    with Visit(browser, daemon.url, SECRET) as page:
        expect(page.locator(".row[aria-setsize='1500']").first).to_be_visible()
        page.focus("#list")
        page.keyboard.press("End")
        expect(page.locator(".row[aria-posinset='1500'] .name")).to_have_text("small.txt")
        assert page.locator(".row").count() < 60, "rows that are not seen are in the document"


def is_accessible(browser, daemon, server):
    daemon.add(f"{server.url()}small.txt", f"{server.url()}missing", f"{server.url()}slow.bin")
    with Visit(browser, daemon.url, SECRET, color_scheme="dark", bypass_csp=True) as page:
        expect(page.locator(".row.downloading")).to_have_count(1)
        check_rules(page, "list")
        page.locator(".row.downloading").click()
        expect(page.locator("#details")).to_be_visible()
        check_rules(page, "details")


def serves_what_it_is_given(browser, url, secret):
    """Leaves the downloads of a daemon that is in use as they are."""
    name = f"page-test-{uuid.uuid4().hex[:8]}"
    with Visit(browser, url, secret, bypass_csp=True) as page:
        page.click(".more summary")
        page.fill("#add-name", name)
        page.check("#add-paused")
        paste(page, f"http://127.0.0.1:9/{name}")
        expect(page.locator("#message")).to_have_text("1 download added.")
        page.fill("#search", name)
        expect(page.locator(".row.paused .name")).to_have_text([name])
        page.locator(".row").click()
        expect(page.locator("#details h2")).to_have_text(name)
        check_rules(page, "a daemon in use")
        page.click("#details button:text-is('Remove')")
        page.click("dialog button[type=submit]")
        expect(page.locator("#empty")).to_contain_text("Nothing has")


def mirrors_a_directory(browser, daemon, _server):
    source = pathlib.Path(daemon.directory) / "source"
    tree = Tree(source)
    try:
        tree.write("a.txt", b"first", age=100)
        tree.write("deep/b.txt", b"second", age=100)
        with Visit(browser, daemon.url, SECRET) as page:
            page.click("#add-mirror")
            page.fill("#mirror-source", tree.url())
            page.fill("#mirror-directory", "copy")
            page.keyboard.press("Enter")
            mirror = page.locator(".mirror")
            expect(mirror.locator(".what")).to_contain_text("2 new")
            tree.write("a.txt", b"another")
            mirror.locator("summary").click()
            mirror.get_by_role("button", name="Run again").click()
            expect(mirror.locator(".what")).to_contain_text("1 changed, 1 unchanged")
            expect(mirror.locator(".changes li")).to_have_text(["changeda.txt"])
            line = mirror.locator("code").inner_text()
            subprocess.run(["sh", "-c", line], check=True, stdout=subprocess.DEVNULL)
            mirror.get_by_role("button", name="Remove").click()
            page.click("dialog button[type=submit]")
            expect(page.locator("#mirrors")).to_be_hidden()
            assert (pathlib.Path(daemon.directory) / "files/copy/a.txt").read_bytes() == b"another"
    finally:
        tree.stop()


CASES = [
    mirrors_a_directory,
    adds_by_paste,
    shows_what_is_there_already,
    explains_a_digest_that_does_not_fit,
    says_what_is_wrong,
    filters_and_searches,
    keys_work,
    shows_the_proof,
    says_who_named_the_digest,
    changes_the_cap,
    says_that_it_began_again,
    shows_the_cost,
    shows_hostile_names_as_text,
    comes_back_by_itself,
    asks_for_the_secret,
    is_accessible,
    scrolls_through_thousands,
]
