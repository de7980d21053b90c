"""The faults of a site: links and anchors that lead nowhere, images that are not there, loads from elsewhere."""

import html.parser
import re
import urllib.parse

LOADED = {"img": "src", "script": "src", "iframe": "src", "source": "src", "video": "src", "link": "href"}
# Links to elsewhere are for readers; nothing may be loaded from there.
STYLE = re.compile(r"(?:url\(|@import )[\"' ]*((?:https?:)?//[^)\"' ]+)")


class Document(html.parser.HTMLParser):
    """The names and the addresses in a page."""

    def __init__(self, text):
        super().__init__()
        self.names, self.links, self.loaded, self.bare = {""}, [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.names |= {values[key] for key in ("id", "name") if values.get(key)}
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if address := values.get(LOADED.get(tag)):
            self.loaded.append(address)
        if tag == "img" and not values.get("alt"):
            self.bare.append(values.get("src"))


def faults(site):
    """Yields a sentence for each fault."""
    pages = {path: Document(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    # A server shows it for addresses that are not there, so its links are absolute.
    pages = {path: page for path, page in pages.items() if path.name != "404.html"}
    if not pages:
        yield f"There is no page in {site}."
    for path, page in pages.items():
        shown = path.relative_to(site)
        for address in page.links + page.loaded:
            parts = urllib.parse.urlsplit(address)
            if parts.scheme or parts.netloc:
                if address in page.loaded:
                    yield f"{shown} loads {address}"
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                yield f"{shown} links {address}, which is not there"
            elif parts.fragment and target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].names:
                yield f"{shown} links {address}, and there is no such anchor"
        for source in page.bare:
            yield f"{shown} has the image {source} without a text for readers who do not see it"
    for path in sorted(site.rglob("*.css")):
        for address in STYLE.findall(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(site)} loads {address}"


def main(site):
    """Prints the faults of a site, and returns them."""
    found = list(faults(site))
    print(*found, sep="\n", end="\n" if found else "")
    return found
