#!/usr/bin/env python3
"""Makes the files that a version of segdl leaves behind, for the tests of all later versions.

    Tests/Earlier/make.py SEGDL [DIRECTORY]

Runs the command as root below /srv/segdl-fixture against nginx on port 28931, kills it where an interruption belongs to
the file, and puts what it left into DIRECTORY (Tests/Earlier/VERSION). It says which kinds the version does not write.
"""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
# The files hold paths and URLs, so these are the same for each version.
HOME = pathlib.Path("/srv/segdl-fixture")
PORT, DAEMON = 28931, 28932
BASE = f"http://127.0.0.1:{PORT}"
DATE = 1793491200  # Sun, 01 Nov 2026 00:00:00 GMT
SIZE = 8 << 20
SECRET = "a-secret-of-the-fixtures"
ODD = "drei é.txt"

NGINX = f"""
user root; daemon off; master_process off; pid {HOME}/pid; error_log {HOME}/error.log;
events {{ worker_connections 64; }}
http {{
    access_log off; root {HOME}/www; autoindex on; limit_rate 1m;
    client_body_temp_path {HOME}; proxy_temp_path {HOME}; fastcgi_temp_path {HOME};
    uwsgi_temp_path {HOME}; scgi_temp_path {HOME};
    server {{ listen 127.0.0.1:{PORT}; location = /parts/refused.txt {{ return 403; }} }}
}}
"""


def until(condition, what):
    """Waits for a condition and returns its value."""
    for _ in range(1000):
        with contextlib.suppress(OSError, ValueError, sqlite3.Error):
            if value := condition():
                return value
        time.sleep(0.02)
    raise SystemExit(f"not within 20 seconds: {what}")


def publish(name, content):
    path = HOME / "www" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    os.utime(path, (DATE, DATE))


class Maker:
    def __init__(self, segdl, target):
        self.segdl, self.target = segdl, target

    def start(self, *arguments):
        environment = {"PATH": os.environ["PATH"], "HOME": str(HOME), "LC_ALL": "C.UTF-8"}
        return subprocess.Popen([self.segdl, *map(str, arguments)], cwd=HOME, env=environment,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def run(self, *arguments, status=0):
        process = self.start(*arguments)
        errors = process.communicate()[1].decode()
        if process.returncode != status:
            raise SystemExit(f"{arguments} ended with {process.returncode}: {errors}")

    def kill(self, process, condition, what):
        until(condition, what)
        process.kill()
        errors = process.communicate()[1].decode()
        if process.returncode != -signal.SIGKILL:
            raise SystemExit(f"it was over before it was killed: {what}: {errors}")

    def keep(self, path, name):
        """Keeps a file, and for a database its log, in which all changes of a killed process may be."""
        shutil.copyfile(path, self.target / name)
        log = path.with_name(path.name + "-wal")
        if log.exists() and log.stat().st_size:
            shutil.copyfile(log, self.target / (name + "-wal"))

    def written(self, path):
        """The number of bytes that the manifest of an unfinished file counts, once it also has durable ones."""
        text = subprocess.run([self.segdl, "inspect", "--json", path], capture_output=True, check=False).stdout
        manifest = json.loads(text)
        return sum(end - start for start, end in manifest["written"]) if manifest["durable"] else 0

    def is_begun(self, path):
        return lambda: self.written(path) > SIZE // 4

    # The kinds of files

    def manifest(self):
        path = HOME / "fetch" / "disk.img"
        path.parent.mkdir()
        process = self.start("fetch", "-q", "-s", 3, "-o", path, "--mirror", f"{BASE}/other/disk.img?q=a b&n=é",
                             f"{BASE}/disk.img?q=a b&n=é")
        manifest = path.with_name("disk.img.part.segdl")
        # Lines of the journal, behind those that the last checkpoint has taken over.
        self.kill(process, lambda: self.is_begun(path)() and b"\n+ " in manifest.read_bytes(), "a quarter of a file")
        self.keep(manifest, "manifest.segdl")

    def origin(self):
        path = HOME / "fetch" / "one.txt"
        self.run("fetch", "-q", "-o", path, f"{BASE}/tree/one.txt")
        try:
            mark = os.getxattr(path, "user.segdl.origin")
        except OSError:
            print("no mark of a finished file")
            return
        (self.target / "origin").write_bytes(mark)

    def queue(self):
        queue = HOME / "queue" / "queue.sqlite"
        queue.parent.mkdir()
        files = HOME / "queue" / "files"
        self.run("queue", "add", "--queue", queue, "-d", files, "--key", "odd", f"{BASE}/tree/sub/{ODD}")
        self.run("queue", "start", "--queue", queue, "-q")
        self.run("queue", "add", "--queue", queue, "-s", 3, "--priority", 2, "-d", files, f"{BASE}/disk.img")
        self.run("queue", "add", "--queue", queue, "--paused", "--key", "all", "--checksum", "sha256=" + 64 * "0",
                 "--if-exists", "rename", "--limit-rate", "1000", "--on-complete", "echo done",
                 "-o", files / "named.bin", "http://H.Example:80/%62ig?a=1")
        self.run("queue", "add", "--queue", queue, "--paused", f"{BASE}/removed")
        self.run("queue", "remove", "--queue", queue, 4)
        process = self.start("queue", "start", "--queue", queue, "-q")

        def is_begun():
            with contextlib.closing(sqlite3.connect(f"file:{queue}?mode=ro", uri=True)) as database:
                return database.execute("SELECT bytesCompleted > 0 FROM download WHERE id = 2").fetchone()[0]
        self.kill(process, is_begun, "bytes of a queue's file")
        self.keep(queue, "queue.sqlite")

    def mirror(self):
        copy = HOME / "mirror"
        self.run("mirror", "-q", f"{BASE}/tree/", copy)
        self.keep(copy / "segdl-mirror.jsonl", "proof.jsonl")
        self.keep(copy / "SHA256SUMS", "sums")
        publish("tree/zzz.img", bytes(SIZE))
        process = self.start("mirror", "-q", "-s", 3, f"{BASE}/tree/", copy)
        self.kill(process, self.is_begun(copy / "zzz.img"), "a quarter of a mirror's file")
        self.keep(copy / ".segdl-mirror.sqlite", "mirror.sqlite")
        (HOME / "www/tree/zzz.img").unlink()

    def shards(self):
        copy, kept = HOME / "shards", self.target / "shards"
        kept.mkdir()
        for shard, status in ((1, 1), (2, 0)):
            self.run("mirror", "-q", "--shard", f"{shard}/2", "--failed", HOME / f"missing.{shard}", f"{BASE}/parts/",
                     copy, status=status)
        for path in [*copy.glob("segdl-mirror.*"), *copy.glob("SHA256SUMS.*")]:
            shutil.copyfile(path, kept / path.name)
        self.keep(HOME / "missing.1", "missing.jsonl")

    def daemon(self):
        if b"\n  serve " not in subprocess.run([self.segdl, "--help"], check=True, capture_output=True).stdout:
            print("no daemon")
            return
        queue = HOME / "daemon" / "queue.sqlite"
        queue.parent.mkdir()
        process = self.start("serve", "-q", "-d", HOME / "daemon" / "files", "--queue", queue,
                             "--listen", f"127.0.0.1:{DAEMON}", "--rpc-secret", SECRET)

        def call(path, body=None):
            request = urllib.request.Request(f"http://127.0.0.1:{DAEMON}{path}", body and json.dumps(body).encode(),
                                             {"Authorization": f"Bearer {SECRET}"})
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)

        def add(url, gid, **options):
            parameters = [f"token:{SECRET}", [url], {"gid": gid, **options}]
            call("/jsonrpc", {"jsonrpc": "2.0", "id": 1, "method": "aria2.addUri", "params": parameters})
        until(lambda: call("/api/v1/mirrors"), "the daemon")
        wanted = {"source": f"{BASE}/tree/", "directory": "copy", "exclude": ["two.*"], "headers": ["X-Kept: yes"]}
        mirror = call("/api/v1/mirrors", wanted)["mirror"]["id"]
        until(lambda: call(f"/api/v1/mirrors/{mirror}")["state"] == "complete", "the daemon's mirror")
        call("/api/v1/mirrors", {"source": f"{BASE}/parts/", "directory": "stopped", "stopped": True})
        add(f"{BASE}/disk.img", "00000000000000a1", header=["X-Kept: yes"], split="3")
        add(f"{BASE}/tree/one.txt", "00000000000000b2", pause="true", out="eins.txt",
            **{"http-user": "user", "http-passwd": "word"})
        self.kill(process, self.is_begun(HOME / "daemon/files/disk.img"), "a quarter of the daemon's file")
        self.keep(queue, "daemon.sqlite")
        self.keep(queue.with_name("queue.sqlite.jobs"), "daemon.sqlite.jobs")

    def make(self):
        for kind in (self.manifest, self.origin, self.queue, self.mirror, self.shards, self.daemon):
            kind()


@contextlib.contextmanager
def served():
    if HOME.exists():
        raise SystemExit(f"{HOME} is there already; move it away.")
    publish("disk.img", bytes(SIZE))
    publish("other/disk.img", bytes(SIZE))
    for name in ("tree/one.txt", "tree/two.txt", f"tree/sub/{ODD}", "parts/one.txt", "parts/un.txt",
                 "parts/refused.txt"):
        publish(name, pathlib.PurePath(name).stem.encode() + b"\n")
    (HOME / "nginx.conf").write_text(NGINX, encoding="utf-8")
    nginx = subprocess.Popen(["/usr/sbin/nginx", "-p", HOME, "-c", HOME / "nginx.conf"], stderr=subprocess.DEVNULL)
    try:
        until((HOME / "pid").exists, "nginx")
        yield
    finally:
        nginx.terminate()
        nginx.wait()
        shutil.rmtree(HOME)


def main(arguments):
    if len(arguments) not in (1, 2):
        print(__doc__.splitlines()[2].strip(), file=sys.stderr)
        return 64
    segdl = pathlib.Path(arguments[0]).resolve()
    version = subprocess.run([segdl, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
    target = pathlib.Path(arguments[1]) if len(arguments) == 2 else HERE / version
    target.mkdir(parents=True)
    with served():
        Maker(segdl, target.resolve()).make()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
