"""The pictures of the README, of downloads that are only played."""

import os

from fake import Daemon, Server, everyday
from visit import Visit

WANTED = (("light", "light", 1280, 800, 42), ("dark", "dark", 1280, 800, 42), ("phone", "light", 390, 780, 4))


def take(browser, directory):
    for name, scheme, width, height, seconds in WANTED:
        fake = Daemon()
        everyday(fake)
        server = Server(fake)
        with Visit(browser, server.url, color_scheme=scheme, viewport={"width": width, "height": height}) as page:
            page.locator(".row.downloading").first.wait_for()
            if name != "phone":
                page.locator(".row.downloading").first.click()
            page.wait_for_timeout(seconds * 1000)
            page.screenshot(path=os.path.join(directory, f"page-{name}.png"))
        server.stop()
