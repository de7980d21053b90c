"""Starts the daemon, or the real aria2c beside it, on loopback."""

import contextlib
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time

SECRET = "a-secret-of-the-tests"
START = 20  # seconds: the longest wait until a daemon listens

# Set by Scripts/sanitize: a sanitizer keeps freed memory and notes of its own, so that limits of memory are not judged.
IS_SANITIZED = bool(os.environ.get("DAEMON_TESTS_SANITIZED"))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until(condition, what, seconds=120):
    """Waits for a condition and returns its value; fails after some seconds with the words that `what` returns."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > end:
            raise TimeoutError(f"not within {seconds} seconds: {what()}")
        time.sleep(0.01)
    return value


@contextlib.contextmanager
def scratch():
    """A directory for a run, removed however deep it has become."""
    home = pathlib.Path(tempfile.mkdtemp(prefix="segdl-daemon-"))
    try:
        yield home
    finally:
        subprocess.run(["rm", "-rf", home], check=False)


def environment(home):
    """That of a daemon: its own home, without the caller's proxies, secret and queue."""
    kept = {name: value for name, value in os.environ.items()
            if not name.lower().endswith("_proxy") and not name.startswith(("SEGDL_", "XDG_"))}
    return {**kept, "HOME": str(home)}


class Daemon:
    """A process that serves aria2's RPC; its files are in `home`, and its downloads in `directory`."""

    name = ""

    def __init__(self, home, *options, secret=SECRET):
        self.home = pathlib.Path(home)
        self.directory = self.home / "files"
        self.directory.mkdir(parents=True, exist_ok=True)
        self.options, self.secret = options, secret
        self.start()

    def start(self):
        with open(self.home / "errors", "ab") as errors:
            self.process = subprocess.Popen(
                self.command(), stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL, cwd=self.directory,
                env=environment(self.home))
        self.output = []
        self.reader = threading.Thread(target=self.read, args=(self.process.stdout,), daemon=True)
        self.reader.start()
        until(self.is_ready, lambda: f"{self.name} listens: {self.words()}", START)

    def read(self, stream):
        with contextlib.closing(stream):
            for line in stream:
                self.output.append(line.decode(errors="replace").rstrip("\n"))

    def words(self):
        """The end of what it wrote to standard error."""
        return (self.home / "errors").read_text(errors="replace")[-300:]

    def is_ready(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"{self.name} ended with {self.process.returncode}: {self.words()}")
        return self.listens()

    def connects(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    @property
    def is_running(self):
        return self.process.poll() is None

    def memory(self, name="VmRSS"):
        """Resident bytes."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{name}:\s+(\d+)", status)[1]) << 10

    def watch_memory(self):
        """Returns the resident bytes, and lets `peak_memory` begin with them."""
        pathlib.Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")
        return self.memory()

    def peak_memory(self):
        """The most resident bytes since `watch_memory`; none are counted under a sanitizer."""
        return 0 if IS_SANITIZED else self.memory("VmHWM")

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def kill(self):
        """Ends it as a power cut of the process would."""
        self.process.kill()
        self.process.wait()
        self.reader.join()

    def stop(self):
        if self.is_running:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.reader.join()
        return self.process.returncode


class Segdl(Daemon):
    name = "segdl"

    def __init__(self, program, home, *options, **more):
        self.program = program
        self.page = ""
        super().__init__(home, *options, **more)

    def command(self):
        secret = ["--rpc-secret", self.secret] if self.secret else []
        return [self.program, "serve", "--listen", "127.0.0.1:0", *secret, "-d", self.directory,
                "--queue", self.home / "queue.sqlite", *self.options]

    def listens(self):
        for line in self.output:
            if found := re.match(r"Page: (https?://127\.0\.0\.1:(\d+)/.*)", line):
                self.page, self.port = found[1], int(found[2])
                return True
        return False


class Aria2(Daemon):
    name = "aria2c"

    def command(self):
        self.port = free_port()
        secret = [f"--rpc-secret={self.secret}"] if self.secret else []
        return ["aria2c", "--no-conf", "--enable-rpc", f"--rpc-listen-port={self.port}", *secret,
                f"--dir={self.directory}", "--file-allocation=none", "--quiet", *self.options]

    def listens(self):
        return self.connects()
