"""A real server on loopback: a process of its own with a configuration of this run."""

import contextlib
import dataclasses
import http.client
import os
import signal
import socket
import ssl
import subprocess
import threading
import time
import urllib.parse
import urllib.request

ends = threading.Event()  # set when the whole run ends before its time
USER, PASSWORD, REALM = "mara", "open:sesame", "files"


class DidNotStart(Exception):
    pass


@dataclasses.dataclass(frozen=True)
class Answer:
    status: int
    body: bytes
    headers: object


@dataclasses.dataclass(frozen=True)
class Access:
    """The credentials, the authority and the proxy that a tool is given beside the URL."""

    cacert: str | None = None
    user: str | None = None
    scheme: str = "basic"
    proxy: str | None = None


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def connects(port):
    try:
        socket.create_connection(("127.0.0.1", port), 5).close()
    except OSError:
        return False
    return True


def wait_until(condition, limit=20.0, pause=0.02):
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end or ends.is_set():
            return False
        time.sleep(pause)
    return True


class Server:
    """Subclasses say how a program is started; `lacks` says why a mode or a case is not offered."""

    name = ""
    packages = ()  # of Debian
    modules = ()  # of PyPI
    modes = {"plain"}  # also tls, basic, digest
    lacks = {}
    first_mode = "plain"  # of most cases
    asks_again = ""  # the reason why a mirror fetches what has not changed
    running = set()
    lock = threading.Lock()

    def __init__(self, site, home, mode, authority):
        self.site, self.home, self.mode, self.authority = site, home, mode, authority
        self.process, self.port = None, free_port()
        home.mkdir()
        home.chmod(0o777)  # some give up root

    def prepare(self):
        """Writes the configuration."""

    def command(self):
        raise NotImplementedError

    def environment(self):
        return {}

    @property
    def base(self):
        return f"{'https' if self.mode == 'tls' else 'http'}://127.0.0.1:{self.port}"

    @property
    def bases(self):
        """Each is tried in the cases of authentication."""
        return [self.base]

    def url(self, path, base=None):
        return f"{base or self.base}/{urllib.parse.quote(path)}"

    def access(self, password=PASSWORD):
        if self.mode == "tls":
            return Access(cacert=str(self.authority.file))
        if self.mode in ("basic", "digest"):
            return Access(user=f"{USER}:{password}", scheme=self.mode)
        return Access()

    def start(self):
        self.prepare()
        for _ in range(10):
            if ends.is_set():
                raise DidNotStart("the run ends")
            log = open(self.home / "output", "ab")  # noqa: SIM115 the process has it open for longer
            with log:
                self.process = subprocess.Popen(
                    [str(word) for word in self.command()],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    cwd=self.home,
                    env={**os.environ, **self.environment()},
                    start_new_session=True,
                )
            with self.lock:
                self.running.add(self)
            wait_until(lambda: self.process.poll() is not None or self.answers())
            if self.process.poll() is None and self.answers():
                return
            is_silent = self.process.poll() is None
            self.stop()
            if is_silent:
                break
            time.sleep(0.2)  # A connection of another program may hold the port for a moment.
        raise DidNotStart((self.home / "output").read_text(errors="replace")[-400:] or "no answer, no message")

    def answers(self):
        kind = http.client.HTTPSConnection if self.mode == "tls" else http.client.HTTPConnection
        more = {"context": ssl._create_unverified_context()} if self.mode == "tls" else {}
        connection = kind("127.0.0.1", self.port, timeout=5, **more)
        try:
            connection.request("GET", "/one.bin")
            return connection.getresponse().status < 500
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def stop(self):
        """Ends the process and what it has started, which is all that its session holds."""
        if self.process:
            for number, limit in ((signal.SIGTERM, 1), (signal.SIGKILL, 10)):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self.process.pid, number)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.process.wait(limit)
        with self.lock:
            self.running.discard(self)

    @classmethod
    def stop_all(cls):
        ends.set()
        for server in list(cls.running):
            server.stop()

    def close(self):
        self.stop()

    def fetch(self, path, headers=None):
        """The answer to a plain request, for questions that a case has about the server itself."""
        proxy = self.access().proxy
        opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({"http": proxy} if proxy else {}),
            urllib.request.HTTPSHandler(context=ssl._create_unverified_context()),
        )
        try:
            with opener.open(urllib.request.Request(self.url(path), headers=headers or {}), timeout=30) as answer:
                return Answer(answer.status, answer.read(), answer.headers)
        except (OSError, http.client.HTTPException):
            return Answer(0, b"", {})

    def has_ranges(self):
        return self.fetch("small.bin", {"Range": "bytes=1-2"}).status == 206
