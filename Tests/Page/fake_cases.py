"""What a person sees and does, with downloads that are only played (fake.py)."""

import contextlib
import re
import time

from fake import FILES, Daemon, Server, crowd, everyday, mirrored
from playwright.sync_api import expect
from visit import Visit, check_rules, paste

DIGEST = "0123456789abcdef" * 4
MEBI = 1 << 20


@contextlib.contextmanager
def visit(browser, *scenes, interval=0.1, **context):
    """Yields the fake daemon, the page and the visit; no time goes on by itself in the daemon."""
    fake = Daemon()
    for scene in scenes:
        scene(fake)
    server = Server(fake, runs=False, interval=interval)
    try:
        guest = Visit(browser, server.url, **context)
        with guest as page:
            yield fake, page, guest, server
    finally:
        server.stop()


def until(page, condition):
    """Waits for something that only the daemon knows."""
    for _ in range(200):
        if condition():
            return
        page.wait_for_timeout(25)
    raise AssertionError("it did not happen within 5 s")


def named(fake, name):
    return next(each for each in fake.downloads.values() if each["name"] == name)


def row(page, name):
    return page.locator(".row", has_text=name)


# Files


def is_small_and_complete(_):
    files = {path.name for path in FILES.iterdir()}
    assert sum(path.stat().st_size for path in FILES.iterdir()) < 120_000
    listed = set(re.findall(r'"([a-z]+\.[a-z]+)": PackageResources', (FILES.parent / "PageFiles.swift").read_text()))
    assert files == listed, files ^ listed
    text = (FILES / "index.html").read_text()
    assert not re.search(r"<style|\sstyle=|<script(?![^>]*src=)|\son[a-z]+=", text)
    for path in FILES.glob("*.js"):
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", path.read_text()), path


# Beginning


def welcomes_a_newcomer(browser):
    with visit(browser) as (fake, page, _, _server):
        expect(page.locator(".welcome h2")).to_have_text("Paste links to begin")
        expect(page.locator(".welcome")).to_contain_text("The files go to /data on the daemon's machine.")
        assert page.locator("#urls").bounding_box()["height"] > 100
        expect(page.locator("#list")).to_be_hidden()
        paste(page, "https://host.example/a.iso\nhttps://host.example/b.iso\nhttps://host.example/c.iso")
        expect(page.locator(".row .name")).to_have_text(["a.iso", "b.iso", "c.iso"])
        expect(page.locator(".welcome")).to_be_hidden()
        expect(page.locator("#message")).to_have_text("3 downloads added.")
        assert [each["url"] for each in fake.downloads.values()][0] == "https://host.example/a.iso"


def adds_with_options(browser):
    with visit(browser) as (fake, page, _, _server):
        page.click(".more summary")
        page.fill("#add-directory", "/media/films")
        page.fill("#add-name", "film.mkv")
        page.fill("#add-checksum", f"sha-256={DIGEST}")
        page.check("#add-paused")
        page.check("#add-mirrors")
        paste(page, "https://one.example/film\nhttps://two.example/film")
        expect(page.locator(".row.paused .name")).to_have_text(["film.mkv"])
        film = named(fake, "film.mkv")
        assert film["mirrors"] == ["https://two.example/film"]
        assert (film["directory"], film["checksums"][0]["hex"]) == ("/media/films", DIGEST)
        page.fill("#add-segments", "many")
        paste(page, "https://one.example/other")
        expect(page.locator("#message")).to_contain_text("number of 1 or more")
        expect(page.locator("#urls")).to_have_value("https://one.example/other")
        page.click("#message-close")
        expect(page.locator("#message")).to_be_hidden()


DROP = """([name, text]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([text], name));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
}"""


def takes_what_is_dropped(browser):
    metalink = f"""<?xml version="1.0"?><metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="linked.bin">
      <hash type="sha-256">{DIGEST}</hash><url priority="2">https://b.example/x</url>
      <url priority="1">https://a.example/x</url></file></metalink>"""
    with visit(browser) as (fake, page, _, _server):
        page.evaluate(DROP, ["x.meta4", metalink])
        expect(page.locator(".row .name")).to_have_text(["linked.bin"])
        linked = named(fake, "linked.bin")
        assert (linked["url"], linked["mirrors"]) == ("https://a.example/x", ["https://b.example/x"])
        third = f"""<metalink version="3.0" xmlns="http://www.metalinker.org/"><files><file name="old.bin">
          <verification><hash type="sha256">{DIGEST}</hash></verification><resources>
          <url type="bittorrent" preference="100">https://t.example/x.torrent</url>
          <url type="http" preference="10">https://b.example/3</url>
          <url type="http" preference="90">https://a.example/3</url></resources></file></files></metalink>"""
        page.evaluate(DROP, ["x.metalink", third])
        expect(row(page, "old.bin")).to_be_visible()
        linked = named(fake, "old.bin")
        assert (linked["url"], linked["mirrors"]) == ("https://a.example/3", ["https://b.example/3"])
        assert linked["checksums"] == [{"algorithm": "sha256", "hex": DIGEST}]
        page.evaluate(DROP, ["sums.txt", f"{DIGEST}  https://c.example/summed.bin\n"])
        expect(row(page, "summed.bin")).to_be_visible()
        assert named(fake, "summed.bin")["checksums"] == [{"algorithm": "sha256", "hex": DIGEST}]
        page.evaluate(
            DROP, ["letter.txt", "Dear all,\nsee https://d.example/one.pdf, and https://d.example/two.pdf.\n"]
        )
        expect(row(page, "two.pdf")).to_be_visible()
        assert named(fake, "one.pdf")["url"] == "https://d.example/one.pdf"
        page.evaluate(DROP, ["aria2.txt", "https://e.example/three\n  out=third.bin\n  split=3\n"])
        expect(row(page, "third.bin")).to_be_visible()
        assert len(fake.downloads) == 6


def pastes_anywhere(browser):
    with visit(browser, everyday) as (fake, page, _, _server):
        page.evaluate("""() => {
          const data = new DataTransfer(); data.setData("text/plain", "https://p.example/p\\n");
          const options = { clipboardData: data, bubbles: true, cancelable: true };
          document.body.dispatchEvent(new ClipboardEvent("paste", options));
        }""")
        expect(page.locator("#urls")).to_be_focused()
        page.keyboard.press("Control+Enter")
        until(page, lambda: any(each["name"] == "p" for each in fake.downloads.values()))


# The list


def shows_the_list(browser):
    with visit(browser, everyday) as (fake, page, _, _server):
        fake.step()
        one = row(page, "debian-13")
        expect(one.locator(".size")).to_have_text("412 MiB")
        expect(one.locator(".speed")).to_contain_text("MiB/s")
        expect(one.locator(".left")).not_to_be_empty()
        expect(row(page, "backup-2026").locator(".what")).to_contain_text("sends no byte ranges")
        expect(row(page, "linux-6.18").locator(".what")).to_contain_text("Waits until")
        expect(row(page, "manual-1998").locator(".what")).to_have_text(
            "Failed: The server answered 404 (not found): check the URL."
        )
        expect(row(page, "ubuntu").locator(".what")).to_contain_text("verified by sha256")
        expect(page.locator("#count-waiting")).to_have_text("4")
        expect(page.locator("#speed")).to_contain_text("MiB/s")
        expect(page.locator("#graph")).to_have_attribute("aria-label", re.compile("now .*MiB/s, at most"))


def filters_and_searches(browser):
    with visit(browser, everyday) as (_fake, page, _, _server):
        page.keyboard.press("6")
        expect(page.locator(".row")).to_have_count(2)
        page.click("#filter-paused")
        expect(page.locator(".row .name")).to_have_text(["07-consensus.mp4"])
        page.click("#filter-all")
        page.keyboard.press("/")
        page.keyboard.type("GEOLITE")
        expect(page.locator(".row .name")).to_have_text(["GeoLite2-City.mmdb"])
        page.fill("#search", "<b>nothing")
        expect(page.locator("#empty")).to_have_text("Nothing has “<b>nothing” in its link or name.")


def says_which_downloads_a_verb_is_for(browser):
    with visit(browser, everyday) as (fake, page, _, _server):
        page.click("#filter-failed")
        expect(page.locator("#actions button")).to_have_text(["Retry failed", "Clear failed"])
        page.click("#actions button:text-is('Retry failed')")
        until(page, lambda: named(fake, "corpus-v3.jsonl.gz")["state"] == "queued")
        assert len(fake.actions[-1]["ids"]) == 2
        page.click("#filter-waiting")
        page.click("#actions button:text-is('Pause all')")
        until(page, lambda: named(fake, "planet-latest.osm.pbf")["state"] == "paused")
        assert named(fake, "debian-13.2.0-amd64-netinst.iso")["state"] == "downloading"
        page.click("#filter-all")
        row(page, "debian-13").locator(".mark").click()
        row(page, "backup").locator(".mark").click()
        expect(page.locator("#chosen")).to_have_text("2 chosen")
        page.click("#actions button:text-is('Pause')")
        until(page, lambda: named(fake, "backup-2026-11.tar.zst")["state"] == "paused")
        assert named(fake, "model-00002-of-00004.safetensors")["state"] == "downloading"
        page.click("#actions button:text-is('None')")
        page.click("#actions button:text-is('Resume all')")
        expect(page.locator("#count-paused")).to_have_text("0")


def clears_the_history(browser):
    with visit(browser, everyday) as (fake, page, _, _server):
        page.click("#actions button:text-is('Clear done')")
        expect(page.locator("dialog h2")).to_have_text("Clear 4 downloads from the list?")
        page.click("dialog button:text-is('Cancel')")
        expect(page.locator("#count-done")).to_have_text("4")
        page.click("#actions button:text-is('Clear done')")
        page.click("dialog button[type=submit]")
        expect(page.locator("#count-done")).to_have_text("0")
        assert fake.actions[-1]["withFiles"] is False
        expect(page.locator("#count-all")).to_have_text("10")


def keys_move_and_choose(browser):
    with visit(browser, everyday) as (fake, page, _, _server):
        names = [each["name"] for each in fake.downloads.values()]
        expect(page.locator(".row").first).to_be_visible()
        page.focus("#list")
        for key in ("Home", "ArrowDown", "ArrowDown", "Alt+ArrowUp"):
            page.keyboard.press(key)
        moved = [names[0], names[2], names[1]]
        expect(page.locator(".row .name").first).to_have_text(names[0])
        until(page, lambda: [each["name"] for each in fake.downloads.values()][:3] == moved)
        expect(page.locator("#row-1 .name")).to_have_text(names[2])
        page.keyboard.press("Alt+ArrowDown")
        until(page, lambda: [each["name"] for each in fake.downloads.values()][:3] == names[:3])
        expect(page.locator("#row-2 .name")).to_have_text(names[2])
        page.keyboard.press("Alt+End")
        until(page, lambda: list(fake.downloads.values())[-1]["name"] == names[2])
        page.keyboard.press("Home")
        page.keyboard.press("Space")
        until(page, lambda: named(fake, names[0])["state"] == "paused")
        page.keyboard.press("Shift+ArrowDown")
        expect(page.locator("#chosen")).to_have_text("2 chosen")
        page.keyboard.press("Control+a")
        expect(page.locator("#chosen")).to_have_text("14 chosen")
        page.keyboard.press("Escape")
        page.keyboard.press("Home")
        page.keyboard.press("Enter")
        expect(page.locator("#details h2")).to_have_text(names[0])
        page.keyboard.press("ArrowDown")
        expect(page.locator("#details h2")).to_have_text(names[1])
        page.keyboard.press("Escape")
        expect(page.locator("#details")).to_be_hidden()
        expect(page.locator("#list")).to_be_focused()
        page.keyboard.press("?")
        expect(page.locator("dialog h2")).to_have_text("Keys")


def drags_rows(browser):
    with visit(browser, everyday) as (fake, page, _, _server):
        row(page, "gutenberg").drag_to(row(page, "debian-13"), target_position={"x": 200, "y": 5})
        until(page, lambda: list(fake.downloads.values())[0]["name"].startswith("gutenberg"))
        expect(page.locator("#row-0 .name")).to_have_text("gutenberg-2026-11.tar")
        row(page, "gutenberg").drag_to(row(page, "model-"), target_position={"x": 200, "y": 50})
        until(page, lambda: list(fake.downloads.values())[2]["name"].startswith("gutenberg"))
        assert "dropping" not in (page.locator("body").get_attribute("class") or "")


def keeps_ten_thousand_out_of_the_document(browser):
    with visit(browser, crowd) as (fake, page, guest, _server):
        expect(page.locator(".row[aria-setsize='10000']").first).to_be_visible()
        page.focus("#list")
        page.keyboard.press("End")
        # What is unfinished is first, and what was added last is the first of the rest.
        paused = [index for index in range(10_000) if index % 5 in (1, 4)]
        order = paused + sorted(set(range(10_000)) - set(paused), reverse=True)
        expect(page.locator(".row[aria-posinset='10000'] .name")).to_have_text("part-00000.bin")
        for place in range(20):
            page.evaluate(f"document.getElementById('list').scrollTop = {place * 28_000}")
            expect(page.locator(f"#row-{place * 500 + 3} .name")).to_have_text(f"part-{order[place * 500 + 3]:05d}.bin")
            assert page.locator(".row").count() < 40
        assert page.evaluate("document.querySelectorAll('*').length") < 800
        guest.asked.clear()
        for index in range(1, 200):
            fake.change(fake.downloads[f"{index:016x}"], state="cancelled")
        expect(page.locator("#count-failed")).to_have_text("2,159")
        page.wait_for_timeout(1000)
        asked = [each for each in guest.asked if "downloads?" in each]
        assert len(asked) < 12, f"200 changes made the page ask {len(asked)} times"
        page.keyboard.press("Control+a")
        expect(page.locator("#chosen")).to_have_text("10,000 chosen")


def shows_hostile_names_as_text(browser):
    names = [
        "<img src=x onerror=alert(1)>",
        "</title><script>alert(2)</script>",
        "javascript:alert(3)",
        "a\u202etxt.exe",
        '"onmouseover=alert(4) x="',
        "{{7*7}}",
    ]

    def scene(fake):
        for name in names:
            fake.add(
                f"https://h.example/{name}",
                name=name,
                state="failed",
                error={
                    "code": "ioFailed",
                    "message": f"{name}: <script>alert(5)</script>",
                    "status": None,
                    "isRetryable": False,
                },
            )

    with visit(browser, scene) as (_fake, page, _, _server):
        expect(page.locator(".row .name")).to_have_text(names[::-1])
        for name in names:
            page.locator(".row .name", has_text=name).click()
            expect(page.locator("#details h2")).to_have_text(name)
        assert page.locator("main img, main script, #details a").count() == 0


def shows_new_links_at_once(browser):
    def finished(fake):
        for index in range(300):
            fake.add(f"https://h.example/old-{index}", state="completed", ended=time.time() - 1000 + index)

    with visit(browser, crowd, finished) as (_fake, page, _, _server):
        # Those that ended last are the first of the rest.
        page.click("#filter-done")
        expect(page.locator("#row-0 .name")).to_have_text("old-299")
        page.fill("#search", "old-1")
        expect(page.locator(".row[aria-setsize='111']").first).to_be_visible()
        paste(page, "https://h.example/first.bin\nhttps://h.example/second.bin")
        for name in ("first.bin", "second.bin"):
            expect(row(page, name)).to_be_in_viewport()
            expect(row(page, name)).to_have_class(re.compile("fresh"))
        expect(page.locator("#filter-all")).to_have_attribute("aria-pressed", "true")
        expect(page.locator("#search")).to_have_value("")
        expect(page.locator(".row.fresh")).to_have_count(0)


def shows_a_link_that_is_there_already(browser):
    with visit(browser, crowd) as (fake, page, _, _server):
        paste(page, "https://host.example/part-00000.bin")
        expect(page.locator("#message")).to_have_text("“part-00000.bin” is in the list already.")
        expect(row(page, "part-00000.bin")).to_be_in_viewport()
        paste(page, "https://host.example/part-00000.bin\nhttps://h.example/new.bin")
        expect(page.locator("#message")).to_have_text("1 download added. “part-00000.bin” is in the list already.")
        expect(row(page, "new.bin")).to_be_in_viewport()
        assert len(fake.downloads) == 10_001


def keeps_what_ended_out_of_the_queue(browser):
    with visit(browser, everyday) as (fake, page, _, _server):
        row(page, "planet").drag_to(row(page, "corpus"), target_position={"x": 200, "y": 5})
        until(page, lambda: fake.actions)
        assert fake.actions[-1]["action"] == "back", fake.actions
        # A row that ends goes to the others that have ended.
        fake.change(named(fake, "debian-13.2.0-amd64-netinst.iso"), state="completed", ended=time.time())
        expect(page.locator("#row-7 .name")).to_have_text("debian-13.2.0-amd64-netinst.iso")


def takes_many_links_before_it_adds_them(browser):
    with visit(browser, everyday) as (_, page, _, _server):
        page.focus("#urls")
        page.keyboard.type("https://h.example/a")
        page.keyboard.press("Enter")
        page.keyboard.type("https://h.example/b")
        expect(page.locator("#urls")).to_have_value("https://h.example/a\nhttps://h.example/b")
        page.keyboard.press("Meta+Enter")
        expect(page.locator("#message")).to_have_text("2 downloads added.")


def takes_errors_away_that_hold_no_longer(browser):
    with visit(browser, everyday) as (fake, page, _, server):
        message = page.locator("#message")
        paste(page, "ftp://h.example/a")
        expect(message).to_contain_text("http and https are")
        page.fill("#urls", "https://h.example/a")
        expect(message).to_be_hidden()
        page.press("#urls", "Control+Enter")
        expect(message).to_have_text("1 download added.")
        page.click("#cap")
        page.fill("#cap-input", "fast")
        page.keyboard.press("Enter")
        expect(message).to_contain_text("is not a speed")
        page.keyboard.press("Escape")
        expect(message).to_be_hidden()
        row(page, "planet").click()
        page.route("**/actions", lambda route: route.abort("connectionrefused"), times=1)
        page.click("#details button:text-is('Pause')")
        expect(message).to_contain_text("nothing was changed")
        assert not fake.actions
        page.click("#details button:text-is('Pause')")
        expect(message).to_be_hidden()
        server.stop()
        page.click("#details button:text-is('Resume')")
        expect(message).to_contain_text("nothing was changed")
        again = Server(fake, port=server.server_port, runs=False, interval=0.1)
        try:
            # The page may have connected again by itself, which hides the button.
            page.locator("#offline-now").evaluate("button => button.click()")
            expect(page.locator("#offline")).to_be_hidden(timeout=20_000)
            expect(message).to_be_hidden()
        finally:
            again.stop()


# Caps


def changes_caps_in_place(browser):
    with visit(browser) as (fake, page, _, _server):
        expect(page.locator("#cap")).to_have_text("no limit")
        page.keyboard.press("c")
        page.fill("#cap-input", "fast")
        page.keyboard.press("Enter")
        expect(page.locator("#message")).to_contain_text("is not a speed")
        page.fill("#cap-input", "1.5 MB")
        page.keyboard.press("Enter")
        expect(page.locator("#cap")).to_have_text("of 1.50 MiB/s")
        assert fake.limits["bytesPerSecond"] == 3 << 19
        page.click("#cap")
        page.fill("#cap-input", "")
        page.keyboard.press("Escape")
        assert fake.limits["bytesPerSecond"] == 3 << 19
        page.click("#settings")
        page.get_by_label("Speed of all downloads").fill("quick")
        page.get_by_label("Connections in total").fill("none")
        page.keyboard.press("Enter")
        faults = page.locator("dialog label small")
        expect(faults.nth(0)).to_contain_text("“quick” is not a speed")
        expect(faults.nth(2)).to_have_text("Write a number of 1 or more.")
        assert fake.limits["connections"] != 0
        page.get_by_label("Speed of all downloads").fill("1.5 MiB")
        page.get_by_label("Files at the same time").fill("3")
        page.get_by_label("Connections in total").fill("32")
        page.click("dialog button[type=submit]")
        expect(page.locator("#message")).to_contain_text("Saved")
        assert (fake.limits["activeFiles"], fake.limits["connections"]) == (3, 32)


# Details


def shows_who_took_whose_tail(browser):
    def scene(fake):
        download = fake.play("https://h.example/big.bin", 100 * MEBI, 2, MEBI)
        fake.players[download["id"]].segments[0]["rate"] = 20 * MEBI
        fake.players[download["id"]].segments[1]["rate"] = 2 * MEBI

    with visit(browser, scene, interval=0.05) as (fake, page, _, _server):
        row(page, "big.bin").click()
        expect(page.locator(".legend tbody tr")).to_have_count(2)
        blank = page.locator(".trace").screenshot()
        player = next(iter(fake.players.values()))
        for _ in range(40):
            fake.step()
            page.wait_for_timeout(120)
            if player.done:
                break
        assert player.done and len(player.segments) == 2
        page.click("summary:text-is('What happened')")
        expect(page.locator("#details ol li").first).to_contain_text(
            re.compile(
                r"Connection 1 was free and took over the last [0-9.]+ MiB of connection 2, from \d+ % of the file\."
            )
        )
        expect(page.locator(".trace")).to_have_attribute(
            "aria-label", re.compile("^2 active connections. Connection 1 was free and took over")
        )
        assert page.locator(".trace").screenshot() != blank
        page.locator(".trace").hover(position={"x": 10, "y": 5})
        # The nearer one depends on the moment of the last sample: before the steal it is the first, later the second.
        expect(page.locator(".readout")).to_contain_text(re.compile(r"connection [12] was at \d+ %, with [0-9.]+ "))


def says_why_and_what_to_do(browser):
    with visit(browser, everyday) as (fake, page, _, _server):
        row(page, "backup").click()
        expect(page.locator(".reason")).to_contain_text("The server sends no byte ranges")
        row(page, "corpus").click()
        expect(page.locator(".advice")).to_contain_text("Compare the checksum")
        row(page, "linux-6").click()
        expect(page.locator(".reason")).to_contain_text("Waits 1 min")
        full = {"code": "diskFull", "message": "Cannot write 'x': no space left on device", "isRetryable": True}
        fake.change(named(fake, "linux-6.18.1.tar.xz"), error=full)
        words = "Press Retry once that disk has free space; a waiting download resumes automatically."
        expect(page.locator(".advice")).to_have_text(words)
        row(page, "planet").click()
        page.click("#details button:text-is('To the front')")
        expect(page.locator("#row-0 .name")).to_have_text("planet-latest.osm.pbf")


def explains_a_digest_that_does_not_fit(browser):
    with visit(browser, everyday) as (fake, page, _, _server):
        kept = "corpus-v3.jsonl.gz.rejected, and not as corpus-v3.jsonl.gz."
        expect(row(page, "corpus").locator(".what")).to_have_text(
            f"Failed: The bytes are not what the sha256 says. They are kept as {kept}"
        )
        row(page, "corpus").click()
        expect(page.locator(".reason.bad")).to_have_text(
            f"The bytes are not what the sha256 says. They are kept as /data/{kept}"
        )
        expect(page.locator(".advice")).to_contain_text("The kept bytes can be deleted.")
        download = named(fake, "corpus-v3.jsonl.gz")
        md5 = DIGEST[:32]
        message = f"/data/x: the received bytes have md5 {md5}, but the server's Content-MD5 says {md5}; "
        fake.change(download, error={**download["error"], "message": message + "they are kept as '/data/it's'."})
        expect(page.locator(".reason.bad")).to_have_text(
            "The bytes are not what the server's Content-MD5 says. They are kept as /data/it's, "
            "and not as corpus-v3.jsonl.gz."
        )


def says_why_it_is_not_faster_only_while_it_runs(browser):
    with visit(browser, everyday) as (fake, page, _, _server):
        model = named(fake, "model-00002-of-00004.safetensors")
        words = "All 8 connections allowed to one server, for all its files,"
        row(page, "model-").click()
        expect(page.locator(".reason.good")).to_have_text(f"{words} are in use.")
        row(page, "debian-13").click()
        expect(page.locator(".reason")).to_have_text("Nothing that slows it down has shown.")
        row(page, "model-").click()
        fake.change(model, state="completed", ended=time.time(), slowBecause=f"{words} were in use.")
        expect(page.locator(".reason.good")).to_contain_text("Done at")
        expect(page.locator(".reason.good")).not_to_contain_text("connections")


def explains_the_picture(browser):
    with visit(browser, everyday) as (fake, page, _, _server):
        fake.step()
        row(page, "debian-13").click()
        expect(page.locator(".key li")).to_have_text(
            [
                "on the disk",
                "a connection; the flatter its line, the faster it is",
                "here a free connection took over a part of another's work",
            ]
        )
        expect(page.locator(".axis span")).to_have_text(["start of the file", "206 MiB", "end: 412 MiB"])
        expect(page.locator(".legend thead th")).to_have_text(["Connection", "Is at", "Speed", "Still to fetch"])
        colours = page.locator(".swatch").evaluate_all("all => all.map((one) => getComputedStyle(one).backgroundColor)")
        assert len(set(colours)) == 6, colours


def shows_the_proof(browser):
    def scene(fake):
        fake.add(
            "https://h.example/a",
            state="completed",
            bytesTotal=5,
            bytesCompleted=5,
            path="/data/a\nb\\c",
            name="odd",
            checksums=[{"algorithm": "sha256", "hex": DIGEST}],
        )
        composite = {
            "algorithm": "crc32c",
            "hex": "83e4320b",
            "isRequested": False,
            "field": "x-amz-checksum-crc32c",
            "parts": 2,
        }
        fake.add("https://h.example/b", state="completed", name="composed", proofs=[composite])

    with visit(browser, everyday, scene, permissions=["clipboard-read", "clipboard-write"]) as (
        _fake,
        page,
        _,
        _server,
    ):
        row(page, "ubuntu").click()
        expect(page.locator(".proof code")).to_contain_text("  /data/ubuntu-26.04-desktop-amd64.iso")
        page.click("#details button:text-is('Copy for sha256sum -c')")
        expect(page.locator("#message")).to_contain_text("Copied")
        expect(page.locator(".proof")).to_contain_text(
            "was given with the link, and that the server sent as Repr-Digest."
        )
        assert page.evaluate("navigator.clipboard.readText()").endswith("  /data/ubuntu-26.04-desktop-amd64.iso")
        row(page, "sintel").click()
        expect(page.locator(".proof")).to_contain_text("Its md5 is the one that the server sent as Content-MD5.")
        expect(page.locator(".proof")).to_contain_text("not who made it")
        row(page, "GeoLite2").click()
        expect(page.locator(".proof")).to_contain_text("Not verified")
        page.fill("#search", "h.example")
        row(page, "odd").click()
        expect(page.locator(".proof code")).to_have_text(f"\\{DIGEST}  /data/a\\nb\\\\c")
        row(page, "composed").click()
        expect(page.locator(".proof")).to_contain_text(
            "The crc32c of its 2 uploaded parts is the one that the server sent as x-amz-checksum-crc32c."
        )
        expect(page.locator(".proof code")).to_have_count(0)


def says_where_a_digest_comes_from(browser):
    with visit(browser) as (_fake, page, _, _server):
        page.evaluate(DROP, ["sums.txt", f"{DIGEST}  https://c.example/summed.bin\n"])
        row(page, "summed.bin").click()
        expect(page.locator(".proof")).to_contain_text("stands in the list of checksums")
        page.evaluate(
            DROP,
            [
                "x.meta4",
                f"""<metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="linked.bin">
          <hash type="sha-256">{DIGEST}</hash><url>https://a.example/x</url></file></metalink>""",
            ],
        )
        row(page, "linked.bin").click()
        expect(page.locator(".proof")).to_contain_text("stands in the Metalink file")


def copies_a_whole_line_without_a_clipboard(browser):
    with visit(browser, everyday) as (_fake, page, _, _server):
        page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed')); }")
        row(page, "ubuntu").click()
        page.click("#details button:text-is('Copy for sha256sum -c')")
        expect(page.locator("#message")).to_contain_text("The line is selected")
        assert page.evaluate("getSelection().toString()").endswith("bb  /data/ubuntu-26.04-desktop-amd64.iso")


def shows_the_cost(browser):
    with visit(browser, everyday) as (fake, page, _, _server):
        row(page, "linux-6").click()
        facts = page.locator("#details dl")
        expect(facts).to_contain_text(
            "3.00 MiB fetched twice or not needed, 4 requests refused by a busy server, "
            "1 broken connection, 2 requests sent again, begun 2 times"
        )
        fake.change(
            named(fake, "linux-6.18.1.tar.xz"), cost={"bytesUnused": 0, "refusals": 1, "drops": 0, "retries": 0}
        )
        expect(facts).to_contain_text("1 request refused by a busy server, begun 2 times")
        row(page, "ubuntu").click()
        expect(facts).to_contain_text("None: each byte was received once")


def announces_ends(browser):
    with visit(browser, everyday) as (fake, page, _, _server):
        expect(page.locator(".row").first).to_be_visible()
        fake.change(named(fake, "debian-13.2.0-amd64-netinst.iso"), state="completed", ended=time.time())
        expect(page.locator("#news")).to_have_text("debian-13.2.0-amd64-netinst.iso is complete.")
        expect(row(page, "debian-13")).to_have_class(re.compile("completed"))


# The daemon is away


def comes_back_after_the_daemon_hung(browser):
    with visit(browser, everyday, has_clock=True) as (fake, page, _, _server):
        expect(page.locator(".row").first).to_be_visible()
        fake.is_hanging = True
        page.wait_for_timeout(300)
        page.clock.fast_forward(9000)
        expect(page.locator("#offline")).to_contain_text("does not answer")
        fake.is_hanging = False
        page.clock.fast_forward(2000)
        expect(page.locator("#offline")).to_be_hidden()
        expect(page.locator("#speed")).to_contain_text("/s")


def shows_no_live_figures_of_a_dead_daemon(browser):
    with visit(browser, everyday, mirrored) as (fake, page, _, server):
        fake.step()
        one = row(page, "debian-13")
        expect(one.locator(".left")).not_to_be_empty()
        one.click()
        expect(page.locator(".figures")).to_contain_text("/s")
        server.stop()
        expect(page.locator("#offline")).to_contain_text("tries again")
        expect(one.locator(".speed")).to_be_empty()
        expect(one.locator(".left")).to_be_empty()
        expect(one.locator(".percent")).to_have_text(re.compile("%"))
        expect(one.locator(".what")).to_have_text("Was under way when the daemon last answered")
        expect(page.locator(".figures")).not_to_contain_text("/s")
        expect(page.locator(".figures")).not_to_contain_text("left")
        expect(page.locator(".legend")).to_be_hidden()
        expect(mirror(page, "debian").locator(".speed")).to_be_hidden()
        expect(row(page, "planet").locator(".what")).to_have_text("Waits for its turn")
        again = Server(fake, port=server.server_port, runs=False, interval=0.1)
        try:
            page.click("#offline-now")
            expect(one.locator(".speed")).to_contain_text("/s")
            expect(page.locator(".legend")).to_be_visible()
        finally:
            again.stop()


def comes_back_after_a_restart(browser):
    with visit(browser, everyday) as (fake, page, _, server):
        expect(page.locator(".row").first).to_be_visible()
        server.stop()
        expect(page.locator("#offline")).to_contain_text("tries again")
        expect(page.locator("#news")).to_have_text("The daemon does not answer.")
        fake.add("https://h.example/meanwhile.bin")
        again = Server(fake, port=server.server_port, runs=False, interval=0.1)
        try:
            page.click("#offline-now")
            expect(page.locator("#offline")).to_be_hidden(timeout=20_000)
            expect(page.locator("#count-all")).to_have_text("15")
        finally:
            again.stop()


def asks_for_the_secret(browser):
    with visit(browser, everyday, secret="wrong") as (_fake, page, _, server):
        expect(page.locator("dialog")).to_contain_text("That was not the secret.")
        expect(page.locator("dialog")).to_contain_text("It is in the file /data/q.secret.")
        page.fill("#secret", "secret")
        page.keyboard.press("Enter")
        expect(page.locator(".row").first).to_be_visible()
        assert page.url == server.url, "the secret stays in the address"


# Everyone


def covers_a_phone(browser):
    with visit(browser, everyday, viewport={"width": 390, "height": 780}, has_touch=True) as (_fake, page, _, server):
        boxes = [each.bounding_box() for each in page.locator("#filters button").all()]
        assert len(boxes) == 6 and max(box["x"] + box["width"] for box in boxes) <= 390, boxes
        row(page, "debian-13").tap()
        expect(page.locator("#details")).to_be_visible()
        assert page.locator("#details").bounding_box()["width"] == 390
        assert page.evaluate("document.getElementById('column').inert")
        page.go_back()
        expect(page.locator("#details")).to_be_hidden()
        assert not page.evaluate("document.getElementById('column').inert")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        row(page, "debian-13").locator(".mark").tap()
        expect(page.locator("#actions button:text-is('Remove')")).to_be_visible()
        row(page, "corpus").tap()
        server.stop()
        page.locator("#details button:text-is('Retry')").tap()
        expect(page.locator("#message")).to_contain_text("nothing was changed")
        # It must be reachable although the list below the details is not.
        page.locator("#message-close").tap()
        expect(page.locator("#message")).to_be_hidden()


def cuts_nothing_on_a_phone(browser):
    def scene(fake):
        everyday(fake)
        fake.limits["bytesPerSecond"] = 1023 << 20
        fake.downloads["0000000000000001"]["bytesPerSecond"] = 1023 << 20

    with visit(browser, scene, viewport={"width": 390, "height": 780}) as (_fake, page, _, _server):
        expect(page.locator("#speed")).to_have_text("1023 MiB/s")
        head = page.locator(".top").bounding_box()
        places = ("h1", "#speed", "#cap", "#settings")
        boxes = [page.locator(f".top {place}").bounding_box() for place in places]
        for box in (*boxes, page.locator("#summary").bounding_box()):
            assert box["y"] >= head["y"] and box["y"] + box["height"] <= head["y"] + head["height"], (box, head)
        for left, right in zip(boxes, [*boxes[1:], {"x": 390}], strict=True):
            assert left["x"] + left["width"] <= right["x"], boxes
        words = row(page, "manual").locator(".what")
        words.scroll_into_view_if_needed()
        assert words.evaluate("each => each.scrollWidth <= each.clientWidth && each.scrollHeight <= each.clientHeight")


def is_accessible(browser):
    for scheme, width in (("light", 1280), ("dark", 390)):
        place = f"{scheme}, {width} pixels"
        context = {"color_scheme": scheme, "viewport": {"width": width, "height": 800}, "bypass_csp": True}
        with visit(browser, **context) as (_fake, page, _, _server):
            expect(page.locator(".welcome")).to_be_visible()
            check_rules(page, f"{place}, nothing yet")
        with visit(browser, everyday, **context) as (_fake, page, _, _server):
            expect(page.locator(".row").first).to_be_visible()
            page.click(".more summary")
            check_rules(page, f"{place}, list")
            page.click(".more summary")
            for name in ("debian-13", "linux-6", "corpus", "ubuntu"):
                row(page, name).scroll_into_view_if_needed()
                row(page, name).click()
                expect(page.locator("#details h2")).to_contain_text(name)
                check_rules(page, f"{place}, {name}")
                page.keyboard.press("Escape")


def has_accessible_dialogs(browser):
    with visit(browser, everyday, bypass_csp=True) as (_fake, page, _, _server):
        row(page, "linux-6").locator(".mark").click()
        check_rules(page, "chosen")
        for key, what in (("?", "keys"), ("c", "cap")):
            page.focus("#list")
            page.keyboard.press(key)
            check_rules(page, what)
            page.keyboard.press("Escape")
        page.click("#settings")
        check_rules(page, "settings")


# Mirrors


def mirror(page, name):
    return page.locator(".mirror", has=page.locator(".name", has_text=name))


def shows_mirrors_as_lines(browser):
    with visit(browser, mirrored) as (fake, page, _, _server):
        expect(mirror(page, "models").locator(".what")).to_contain_text("2 new, 1 changed, 3 removed, 214 unchanged")
        expect(mirror(page, "SHA256SUMS").locator(".what")).to_contain_text("Not complete")
        expect(mirror(page, "SHA256SUMS").locator(".what")).to_contain_text("3 files are gone at the source; kept here")
        expect(mirror(page, "debian").locator(".what")).to_have_text(
            "1,560 of 4,120 files listed so far · 38 new, 12 changed, 1,510 unchanged"
        )
        expect(mirror(page, "debian").locator(".speed")).to_have_text("5.20 MiB/s")
        running = next(each for each in fake.mirrors.values() if each["state"] == "running")
        fake.change_mirror(running, state="complete", new=0, changed=0, kept=4120, isListed=True, ended=1)
        expect(mirror(page, "debian").locator(".what")).to_contain_text("nothing changed in 4,120 files")
        expect(page.locator("#news")).to_contain_text("nothing changed in 4,120 files")


def opens_a_mirror(browser):
    with visit(browser, mirrored) as (fake, page, _, _server):
        opened = mirror(page, "pub/models")
        opened.locator("summary").focus()
        page.keyboard.press("Enter")
        expect(opened.locator(".changes li").first).to_have_text("changedindex.json")
        expect(opened.locator("code")).to_have_text("cd '/data/models' && sha256sum -c SHA256SUMS")
        expect(opened.locator("dl")).to_contain_text("without *.tmp; files that the source no longer has are removed")
        # The bytes that were not needed are no bytes of files.
        words = "2 requests refused by a busy server, 2 requests sent again, beside 4.00 GiB of files"
        expect(opened.locator("dl")).to_contain_text(words)
        first, debian = next(iter(fake.mirrors.values())), mirror(page, "debian")
        cost = {"bytesUnused": 3 << 20, "refusals": 0, "drops": 0, "retries": 0}
        fake.change_mirror(first, bytesReceived=5 << 20, state="complete", cost=cost)
        debian.locator("summary").click()
        words = "3.00 MiB fetched twice or not needed, beside 2.00 MiB of files"
        expect(debian.locator("dl")).to_contain_text(words)
        problem = f"{first['source']}: the server answered 404 (not found)."
        fake.change_mirror(first, state="failed", ended=1, problem=problem)
        sentence = re.compile(r"^Failed [^:]*: The server answered 404 \(not found\)\.$")
        expect(debian.locator(".what")).to_have_text(sentence)
        debian.locator("summary").click()
        failed = mirror(page, "SHA256SUMS")
        failed.locator("summary").click()
        expect(failed.locator(".changes small")).to_contain_text("404")
        opened.get_by_role("button", name="Run again").click()
        expect(opened.get_by_role("button", name="Stop")).to_be_visible()
        opened.get_by_role("button", name="Stop").click()
        expect(opened.locator(".what")).to_contain_text("Stopped")
        opened.get_by_role("button", name="Remove").click()
        expect(page.locator("#dialog")).to_contain_text("All files are kept in /data/models.")
        page.locator("#dialog button.primary").click()
        expect(opened).to_have_count(0)
        assert [each["action"] for each in fake.actions] == ["run", "stop", "remove"], fake.actions


def adds_a_mirror(browser):
    with visit(browser) as (fake, page, _, _server):
        page.fill("#urls", "https://host.example/pub/isos/")
        page.click("#add-mirror")
        expect(page.locator("#mirror-source")).to_have_value("https://host.example/pub/isos/")
        expect(page.locator("#mirror-directory")).to_have_value("isos")
        page.fill("#mirror-include", "*.iso, *.sig")
        page.check("#mirror-deletes")
        page.keyboard.press("Enter")
        expect(mirror(page, "host.example/pub/isos/")).to_be_visible()
        expect(page.locator(".welcome")).to_be_hidden()
        expect(page.locator("#urls")).to_have_value("")
        added = next(iter(fake.mirrors.values()))
        assert (added["include"], added["deletes"]) == (["*.iso", "*.sig"], True), added
        # The same directory: the dialog stays, and says why.
        page.click("#add-mirror")
        page.fill("#mirror-source", "https://other.example/isos/")
        page.keyboard.press("Enter")
        expect(page.locator("#dialog .reason")).to_contain_text("Another mirror already uses 'isos'")
        page.fill("#mirror-directory", "others")
        page.keyboard.press("Enter")
        expect(mirror(page, "other.example/isos/")).to_be_visible()


def shows_hostile_mirrors_as_text(browser):
    evil = "<img src=x onerror=alert(1)>"
    with visit(browser) as (fake, page, _, _server):
        fake.mirror(
            f"https://host.example/{evil}/",
            state="incomplete",
            failed=1,
            changes=[("failed", evil, evil)],
            directory=f"/data/{evil}'; rm",
            proof=f"/data/{evil}'; rm/SHA256SUMS",
            ended=1,
        )
        mirror(page, "host.example").locator("summary").click()
        expect(page.locator(".changes small")).to_have_text(evil)
        expect(page.locator(".mirror code")).to_have_text(f"cd '/data/{evil}'\\''; rm' && sha256sum -c SHA256SUMS")
        expect(page.locator("#mirrors img")).to_have_count(0)


def has_accessible_mirrors(browser):
    for scheme, width in (("light", 1280), ("dark", 1280), ("light", 390)):
        context = {"color_scheme": scheme, "viewport": {"width": width, "height": 800}, "bypass_csp": True}
        with visit(browser, everyday, mirrored, **context) as (_fake, page, _, _server):
            expect(page.locator(".mirror")).to_have_count(3)
            for summary in page.locator(".mirror summary").all():
                summary.click()
            expect(page.locator(".changes .failed")).to_be_visible()
            check_rules(page, f"{scheme} at {width}, mirrors")
            page.click("#add-mirror")
            check_rules(page, f"{scheme} at {width}, a new mirror")


CASES = [
    case
    for name, case in list(globals().items())
    if callable(case)
    and getattr(case, "__module__", "") == __name__
    and name not in ("visit", "until", "named", "row", "mirror")
]
