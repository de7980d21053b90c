"""The files that a server's listings link to: the reference for a mirror.

Links are read as a browser reads them, and in addition those that are the name of a file as it stands (`a:b.txt`).
"""

import dataclasses
import html.parser
import urllib.parse

from content import TREE


class Links(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.found += [value for name, value in attributes if tag == "a" and name == "href" and value]


@dataclasses.dataclass
class Linked:
    files: set  # paths below tree/
    stray: set  # links that lead neither to a file nor to a directory
    unread: set  # directories whose listing the server fails to give

    def shortage(self):
        """Tells how far the listings fall short of the tree."""
        notes = []
        if len(self.files) < len(TREE):
            notes.append(f"its listings link to {len(self.files)} of {len(TREE)} files")
        if self.stray:
            notes.append(f"{len(self.stray)} of their links lead nowhere")
        if self.unread:
            notes.append(f"{len(self.unread)} of them cannot be read")
        return ", ".join(notes)


def linked(server):
    root = server.site.root / "tree"
    found = Linked(set(), set(), set())
    directories, waiting = {""}, [""]
    below = urllib.parse.urlsplit(server.url("tree/")).path
    while waiting:
        directory = waiting.pop()
        answer = server.fetch(f"tree/{directory}")
        if answer.status != 200:
            found.unread.add(directory)
        for link in Links(answer.body.decode(errors="replace")).found:
            # A name with a colon that the server did not escape would be a URL with a scheme.
            is_name = ":" in link and (root / directory / urllib.parse.unquote(link)).is_file()
            reference = f"./{link}" if is_name else link
            target = urllib.parse.urlsplit(urllib.parse.urljoin(server.url(f"tree/{directory}"), reference))
            if not target.path.startswith(below) or target.path == below:
                continue
            path = urllib.parse.unquote(target.path.removeprefix(below))
            if (root / path).is_dir():
                # Links to the parent come back here.
                path = path.rstrip("/") + "/"
                if path not in directories:
                    directories.add(path)
                    waiting.append(path)
            elif (root / path).is_file() and not target.query:
                found.files.add(path)
            else:
                found.stray.add(target.path)
    return found
