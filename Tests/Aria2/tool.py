"""aria2c, or segdl in its place, in a directory of its own."""

import hashlib
import os
import signal
import socket
import subprocess
import sys
import time

LEFTOVERS = (".aria2", ".part", ".part.segdl", ".cookies")
SECONDS = 120


class Tool:
    def __init__(self, name, path, directory, server):
        self.name, self.path, self.directory, self.server = name, path, directory, server
        self.home = os.path.join(directory, "home")
        self.work = os.path.join(directory, "work")
        os.makedirs(self.home)
        os.makedirs(self.work)

    @property
    def environment(self):
        """No configuration and no proxy of the user."""
        kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        return {**kept, "HOME": self.home, "XDG_CONFIG_HOME": self.home, "XDG_CACHE_HOME": self.home,
                "XDG_STATE_HOME": self.home}

    def run(self, *arguments, text=None):
        """The exit status and the output."""
        return self.command([self.path, *arguments], text)

    def ytdlp(self, *arguments):
        return self.command([
            sys.executable, "-m", "yt_dlp", "--ignore-config", "--no-cache-dir", "--fixup", "never", "-v",
            "--downloader", self.path, *arguments])

    def command(self, command, text=None):
        done = subprocess.run(
            command, cwd=self.work, env=self.environment, input=text, capture_output=True, text=True,
            timeout=SECONDS, check=False)
        return done.returncode, done.stdout + done.stderr

    def served(self, port, ask, *arguments):
        """Starts the tool with its RPC, and returns what `ask` returns for the port, and the exit status."""
        with subprocess.Popen(
                [self.path, "--enable-rpc", f"--rpc-listen-port={port}", *arguments], cwd=self.work,
                env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                end = time.monotonic() + SECONDS
                while not self.listens(port) and time.monotonic() < end:
                    time.sleep(0.05)
                return ask(port), process.wait(SECONDS)
            finally:
                if process.poll() is None:
                    process.kill()

    @staticmethod
    def listens(port):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    def interrupt(self, done, *arguments):
        """Stops the tool with INT when `done()` is true; returns the exit status."""
        with subprocess.Popen(
                [self.path, *arguments], cwd=self.work, env=self.environment, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL) as process:
            try:
                while not done() and process.poll() is None:
                    time.sleep(0.001)
                process.send_signal(signal.SIGINT)
                return process.wait(SECONDS)
            finally:
                if process.poll() is None:
                    process.kill()

    def write(self, name, content):
        path = os.path.join(self.work, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def read(self, name):
        with open(os.path.join(self.work, name), encoding="utf-8") as file:
            return file.read()

    def size(self, name):
        """Bytes; 0 if there is no such file."""
        path = os.path.join(self.work, name)
        return os.path.getsize(path) if os.path.exists(path) else 0

    def age(self, name):
        """Seconds since the file's date."""
        return time.time() - os.path.getmtime(os.path.join(self.work, name))

    def files(self, *except_for):
        """The digests of all files of the tool."""
        result = {}
        for folder, _, names in os.walk(self.work):
            for name in names:
                path = os.path.join(folder, name)
                short = os.path.relpath(path, self.work)
                if name.endswith(LEFTOVERS) or short in except_for:
                    continue
                with open(path, "rb") as file:
                    result[short] = hashlib.sha256(file.read()).hexdigest()[:12]
        return result
