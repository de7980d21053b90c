"""Servers from PyPI. Each is a small program in apps, or a program of the framework's own."""

import pathlib

from modules import PYTHON
from server import PASSWORD, USER, Server

APPS = pathlib.Path(__file__).resolve().parent.parent / "apps"
NO_LISTING = {"mirror": "lists no directories"}


class Framework(Server):
    modes = {"plain", "tls"}

    @property
    def pair(self):
        return [self.authority.certificate, self.authority.key] if self.mode == "tls" else []

    def environment(self):
        return {"ROOT": str(self.site.root), "PYTHONPATH": str(APPS), "PYTHONDONTWRITEBYTECODE": "1"}


class Aiohttp(Framework):
    name, modules = "aiohttp", ("aiohttp",)

    def command(self):
        return [PYTHON, APPS / "aiohttp_files.py", self.site.root, self.port, *self.pair]


class Tornado(Framework):
    name, modules, lacks = "Tornado", ("tornado",), NO_LISTING

    def command(self):
        return [PYTHON, APPS / "tornado_files.py", self.site.root, self.port, *self.pair]


class Twisted(Framework):
    name, modules = "Twisted", ("twisted", "pyopenssl", "service-identity")
    modes = {"plain", "tls", "basic", "digest"}

    def command(self):
        user = [USER, PASSWORD]
        return [PYTHON, APPS / "twisted_files.py", self.site.root, self.port, self.mode, *user, *self.pair]


class Flask(Framework):
    name, modules, lacks = "Flask", ("flask",), NO_LISTING

    def command(self):
        return [PYTHON, APPS / "flask_files.py", self.port, *self.pair]


class Django(Framework):
    name, modules, modes = "Django", ("django",), {"plain"}

    def command(self):
        return [PYTHON, APPS / "django_files.py", "runserver", "--noreload", f"127.0.0.1:{self.port}"]


class Gunicorn(Framework):
    name, modules, lacks = "Flask, gunicorn", ("flask", "gunicorn"), NO_LISTING

    def command(self):
        pair = ["--certfile", self.pair[0], "--keyfile", self.pair[1]] if self.pair else []
        place = ["-b", f"127.0.0.1:{self.port}", "--threads", "8"]
        return [PYTHON, "-m", "gunicorn", *place, *pair, "flask_files:app"]


class Waitress(Framework):
    name, modules, modes = "Django, waitress", ("django", "waitress"), {"plain"}

    def command(self):
        place = [f"--listen=127.0.0.1:{self.port}", "--threads=8"]
        return [PYTHON, "-m", "waitress", *place, "django_files:app"]


class Uvicorn(Framework):
    name, modules, lacks = "Starlette, uvicorn", ("starlette", "uvicorn"), NO_LISTING

    def command(self):
        pair = ["--ssl-certfile", self.pair[0], "--ssl-keyfile", self.pair[1]] if self.pair else []
        return [PYTHON, "-m", "uvicorn", "--host", "127.0.0.1", "--port", self.port, *pair, "starlette_files:app"]


class RangeServer(Framework):
    name, modules, modes = "RangeHTTPServer", ("rangehttpserver",), {"plain"}

    def command(self):
        # It serves the directory that it is started in.
        here = "import os, runpy, sys; os.chdir(sys.argv.pop(1)); runpy.run_module('RangeHTTPServer', None, '__main__')"
        return [PYTHON, "-c", here, self.site.root, "--bind", "127.0.0.1", self.port]
