import sys

from server import Server


class PythonServer(Server):
    name = "http.server"

    def command(self):
        place = ["--bind", "127.0.0.1", "--directory", self.site.root, str(self.port)]
        return [sys.executable, "-u", "-m", "http.server", *place]
