"""Where one case of one tool takes place: a server that answers, and empty directories."""

import contextlib
import itertools


class Stage:
    numbers = itertools.count()

    def __init__(self, tool, server, home):
        self.tool, self.server, self.site, self.home = tool, server, server.site, home

    def place(self, name):
        """A path in a directory of its own."""
        directory = self.home / f"work{next(self.numbers)}" / "to"
        directory.mkdir(parents=True)
        return directory / name

    @contextlib.contextmanager
    def other(self, mode):
        """The same server in another mode, on the same files."""
        home = self.home / f"server{next(self.numbers)}"
        server = type(self.server)(self.site, home, mode, self.server.authority)
        try:
            server.start()
            yield server
        finally:
            server.close()
