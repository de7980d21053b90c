#!/usr/bin/env python3
"""Serves the page with downloads that are only played: Tests/Page/fake.py [--port N] [--scene NAME]

It speaks the API that docs/openapi.yaml describes, so that the page can be seen and tested in states that a real
daemon reaches rarely: tails that are taken over, waits, errors, 10,000 downloads, a daemon that hangs.
"""

import argparse
import collections
import contextlib
import http.server
import json
import pathlib
import queue
import random
import socket
import threading
import time
import urllib.parse

# A digest that the request named, without a field or a document.
REQUESTED = {"isRequested": True, "field": None, "document": None, "isOfOtherHost": False, "signature": None}

FILES = pathlib.Path(__file__).parents[2] / "Sources/SegmentedDLServer/Page/Files"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
GROUPS = {
    "active": {"probing", "downloading", "verifying", "finalizing"},
    "waiting": {"queued", "retrying"},
    "done": {"completed"},
    "failed": {"failed", "cancelled"},
}
ENDED = {"completed", "failed", "cancelled"}
SMALLEST_TAIL = 2 << 20


class Player:
    """The connections of one download that is played; a free one takes half of the longest rest."""

    def __init__(self, total, count, rate):
        self.total, self.rate, self.random = total, rate, random.Random(total)
        edges = [total * index // count for index in range(count + 1)]
        self.segments = [self.segment(edges[index], edges[index + 1]) for index in range(count)]
        self.done = []

    def segment(self, start, end):
        return {"start": start, "position": start, "end": end, "rate": self.rate * self.random.uniform(0.4, 1.6)}

    def step(self, seconds):
        for segment in list(self.segments):
            rate = segment["rate"] * self.random.uniform(0.6, 1.4)
            segment["position"] = min(segment["end"], segment["position"] + int(rate * seconds))
            if segment["position"] >= segment["end"]:
                self.segments.remove(segment)
                self.done.append([segment["start"], segment["end"]])
                self.take_tail()

    def take_tail(self):
        longest = max(self.segments, key=lambda other: other["end"] - other["position"], default=None)
        if longest is None or longest["end"] - longest["position"] < SMALLEST_TAIL:
            return
        middle = (longest["position"] + longest["end"]) // 2
        self.segments.append(self.segment(middle, longest["end"]))
        longest["end"] = middle

    @property
    def ranges(self):
        joined = []
        for start, end in sorted(self.done + [[each["start"], each["position"]] for each in self.segments]):
            if joined and start <= joined[-1][1]:
                joined[-1][1] = max(end, joined[-1][1])
            elif end > start:
                joined.append([start, end])
        return joined


class Conflict(Exception):
    """Something else is in the way."""


class Daemon:
    def __init__(self, secret="secret"):
        self.secret, self.session = secret, f"{random.getrandbits(160):040x}"
        self.downloads, self.players, self.readers, self.origins = {}, {}, set(), {}
        self.mirrors, self.changes = {}, {}
        self.lock, self.number, self.is_hanging, self.actions = threading.RLock(), 0, False, []
        self.limits = {"activeFiles": None, "connections": 16, "connectionsPerHost": 8, "bytesPerSecond": None}

    # Downloads

    def add(self, url, name=None, state="queued", **members):
        with self.lock:
            self.number += 1
            last = urllib.parse.urlsplit(url).path.rsplit("/", 1)[-1]
            download = {
                "id": f"{self.number:016x}",
                "number": self.number,
                "url": url,
                "mirrors": [],
                "name": name or urllib.parse.unquote(last) or "index.html",
                "path": None,
                "directory": "/data",
                "state": state,
                "priority": 0,
                "bytesCompleted": 0,
                "bytesTotal": None,
                "bytesPerSecond": 0,
                "secondsRemaining": None,
                "connections": 0,
                "attempts": 0,
                "seconds": 0,
                "error": None,
                "checksums": [],
                "retriesAt": None,
                "added": time.time() - 6000,
                "started": None,
                "ended": None,
                "slowBecause": None,
                "proofs": [],
                "cost": {"bytesUnused": 0, "refusals": 0, "drops": 0, "retries": 0},
                **members,
            }
            if state == "queued":
                download["slowBecause"] = (
                    "It is queued: other downloads use all allowed files or connections."
                )
            self.downloads[download["id"]] = download
            self.tell("download", download)
            return download

    def play(self, url, total, count, rate, **members):
        download = self.add(url, state="downloading", bytesTotal=total, attempts=1, started=time.time(), **members)
        self.players[download["id"]] = Player(total, count, rate)
        return download

    def change(self, download, **members):
        download.update(members)
        self.tell("download", download)

    def step(self, seconds=1.0):
        """Lets time go on for the downloads that are played."""
        with self.lock:
            for identifier, player in list(self.players.items()):
                download = self.downloads[identifier]
                if download["state"] != "downloading":
                    continue
                before = download["bytesCompleted"]
                player.step(seconds)
                completed = sum(end - start for start, end in player.ranges)
                rate = (completed - before) / seconds
                left = (player.total - completed) / rate if rate else None
                download.update(
                    bytesCompleted=completed,
                    bytesPerSecond=rate,
                    connections=len(player.segments),
                    secondsRemaining=left,
                    seconds=download["seconds"] + seconds,
                )
                if completed >= player.total:
                    del self.players[identifier]
                    proofs = [{**each, **REQUESTED} for each in download["checksums"]]
                    self.change(
                        download,
                        state="completed",
                        proofs=proofs,
                        bytesPerSecond=0,
                        secondsRemaining=None,
                        connections=0,
                        path=f"{download['directory']}/{download['name']}",
                        ended=time.time(),
                        slowBecause=None,
                    )

    def full(self, download):
        player = self.players.get(download["id"])
        ranges = player.ranges if player else [[0, download["bytesCompleted"]]] if download["bytesCompleted"] else []
        segments = player.segments if player and download["state"] == "downloading" else []
        origin = {"checksumFrom": self.origins.get(download["id"], "request")} if download["checksums"] else {}
        return {
            **download,
            **origin,
            "ranges": ranges,
            "segments": [{key: each[key] for key in ("start", "position", "end")} for each in segments],
        }

    # Mirrors

    def mirror(self, source, changes=(), **members):
        """Adds a mirror; `changes` are triples of a kind, a path and a message."""
        with self.lock:
            self.number += 1
            figures = dict.fromkeys(("new", "changed", "kept", "removed", "failed", "earlier", "listed"), 0)
            mirror = {
                "id": f"{self.number:016x}",
                "source": source,
                "format": "auto",
                "prefix": "",
                "directory": f"/data/{source.rstrip('/').rsplit('/', 1)[-1]}",
                "include": [],
                "exclude": [],
                "depth": None,
                "deletes": False,
                "state": "running",
                "added": time.time() - 6000,
                "began": time.time() - 60,
                "ended": None,
                **figures,
                "gone": None,
                "isListed": True,
                "bytes": 0,
                "bytesReceived": 0,
                "bytesPerSecond": 0,
                "connections": 0,
                "cost": {"bytesUnused": 0, "refusals": 0, "drops": 0, "retries": 0},
                "problem": None,
                "proof": None,
                **members,
            }
            self.mirrors[mirror["id"]] = mirror
            self.changes[mirror["id"]] = [dict(zip(("kind", "path", "message"), each, strict=True)) for each in changes]
            self.tell("mirror", mirror)
            return mirror

    def change_mirror(self, mirror, **members):
        mirror.update(members)
        self.tell("mirror", mirror)

    def act_on_mirror(self, mirror, action):
        self.actions.append({"action": action, "mirror": mirror["id"]})
        if action == "remove":
            del self.mirrors[mirror["id"]]
            self.tell("mirrorRemoved", {"id": mirror["id"]})
            return {"mirror": None}
        self.change_mirror(mirror, state={"run": "running", "stop": "stopped"}[action])
        return {"mirror": mirror}

    def ask_mirrors(self, path, body):
        if path == "mirrors" and body is None:
            return {"mirrors": list(self.mirrors.values())}
        if path == "mirrors":
            if any(each["directory"].endswith(f"/{body['directory']}") for each in self.mirrors.values()):
                raise Conflict(f"Another mirror already uses '{body['directory']}'; choose another directory.")
            body["directory"] = f"/data/{body['directory']}"
            return {"mirror": self.mirror(**body)}
        mirror = self.mirrors[path.removeprefix("mirrors/")]
        if body is not None:
            return self.act_on_mirror(mirror, body["action"])
        return {**mirror, "files": [], "changes": self.changes[mirror["id"]]}

    # Answers

    def status(self):
        counts = collections.Counter(download["state"] for download in self.downloads.values())
        active = [
            self.downloads[each] for each in self.downloads if self.downloads[each]["state"] in GROUPS["active"]
        ]
        return {
            "version": "0.1.0",
            "session": self.session,
            "started": 1700000000,
            "directory": "/data",
            "directories": ["/data", "/media/films"],
            "limits": self.limits,
            "counts": counts,
            "downloads": len(self.downloads),
            "bytesCompleted": 0,
            "bytesTotal": 0,
            "unknownLengths": 0,
            "bytesPerSecond": sum(download["bytesPerSecond"] for download in active),
            "connections": sum(download["connections"] for download in active),
            "secondsRemaining": None,
            "mirrors": [each for each in self.mirrors.values() if each["state"] in ("running", "stopping")],
            "active": [self.full(download) for download in active],
        }

    def list(self, query):
        states = GROUPS.get(query.get("state", "all"))
        if states is None and query.get("state", "all") not in ("all", ""):
            states = {query["state"]}
        search = query.get("search", "").lower()
        offset, limit = int(query.get("offset", 0)), int(query.get("limit", 100))
        found = [
            each
            for each in self.downloads.values()
            if (states is None or each["state"] in states)
            and search in f"{each['url']} {each['path'] or each['name']}".lower()
        ]
        if query.get("order") == "work":
            ended = [each for each in reversed(found) if each["state"] in ENDED]
            ended.sort(key=lambda each: -(each["ended"] or 0))
            found = [each for each in found if each["state"] not in ENDED] + ended
        places = {each["id"]: place for place, each in enumerate(found)}
        if query.get("around") in places:
            offset = places[query["around"]] // limit * limit
        return {"total": len(found), "offset": offset, "downloads": found[offset : offset + limit]}

    def add_all(self, body):
        results = []
        for wanted in body["downloads"]:
            if not wanted["url"].startswith(("http://", "https://")):
                message = f"'{wanted['url']}' has a scheme that is not supported; http and https are."
                results.append({"error": {"code": "invalidURL", "message": message}})
                continue
            known = next((each for each in self.downloads.values() if each["url"] == wanted["url"]), None)
            if known:
                results.append({"download": known, "isThere": True})
                continue
            algorithm, _, digest = (wanted.get("checksum") or "").partition("=")
            checksums = [{"algorithm": algorithm.replace("-", ""), "hex": digest}] if digest else []
            download = self.add(
                wanted["url"],
                wanted.get("name"),
                "paused" if wanted.get("paused") else "queued",
                mirrors=wanted.get("mirrors") or [],
                checksums=checksums,
                directory=wanted.get("directory") or "/data",
            )
            self.origins[download["id"]] = wanted.get("checksumFrom", "request")
            results.append({"download": download})
        return {"results": results}

    def act(self, body):
        self.actions.append(body)
        action = body["action"]
        chosen = list(self.downloads) if body["ids"] == "all" else body["ids"]
        changed = []
        for identifier in chosen:
            download = self.downloads.get(identifier)
            if download is None:
                raise LookupError(f"There is no download '{identifier}'; it may have been removed.")
            changed.append(download)
            state = download["state"]
            if action == "remove":
                del self.downloads[identifier]
                self.players.pop(identifier, None)
                self.tell("removed", {"id": identifier})
            elif action == "pause" and state not in ENDED:
                self.change(download, state="paused", bytesPerSecond=0, connections=0, secondsRemaining=None)
            elif (action == "resume" and state == "paused") or (action == "retry" and state != "completed"):
                self.change(download, state="downloading" if identifier in self.players else "queued", error=None)
            elif action == "restart":
                self.change(download, state="queued", bytesCompleted=0, error=None)
            elif action in ("front", "back", "before"):
                self.move(identifier, {"front": 0, "back": len(self.downloads)}.get(action), body.get("before"))
        return {"downloads": changed}

    def move(self, identifier, place, before):
        order = [each for each in self.downloads if each != identifier]
        order.insert(order.index(before) if before else place, identifier)
        self.downloads = {each: self.downloads[each] for each in order}

    def tell(self, name, value):
        for reader in list(self.readers):
            reader.put((name, json.dumps(value)))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, value, kind="application/json", fields=()):
        content = value if isinstance(value, bytes) else json.dumps(value).encode()
        with self.server.whole_answer():
            self.send_response(status)
            for name, text in (("Content-Type", kind), ("Content-Length", str(len(content))), *fields):
                self.send_header(name, text)
            self.end_headers()
            self.wfile.write(content)

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except OSError:
            self.close_connection = True

    def do_GET(self):
        self.route(None)

    def do_POST(self):
        self.route(json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}"))

    do_PATCH = do_POST

    def route(self, body):
        daemon, url = self.server.fake, urllib.parse.urlsplit(self.path)
        if not url.path.startswith("/api/v1/"):
            return self.file("index.html" if url.path == "/" else url.path.removeprefix("/page/"))
        if self.headers.get("Authorization") != f"Bearer {daemon.secret}":
            error = {"code": "unauthorized", "message": "The secret is wrong.", "secretFile": "/data/q.secret"}
            return self.answer(401, {"error": error})
        path = url.path.removeprefix("/api/v1/")
        if path == "events":
            return self.events()
        try:
            with daemon.lock:
                value = self.value(daemon, path, dict(urllib.parse.parse_qsl(url.query)), body)
        except Conflict as error:
            return self.answer(409, {"error": {"code": "duplicate", "message": str(error)}})
        except LookupError as error:
            return self.answer(404, {"error": {"code": "notFound", "message": str(error)}})
        return self.answer(200, value)

    def value(self, daemon, path, query, body):
        if path == "downloads":
            return daemon.list(query) if body is None else daemon.add_all(body)
        if path == "actions":
            return daemon.act(body)
        if path.split("/")[0] == "mirrors":
            return daemon.ask_mirrors(path, body)
        if path == "limits":
            daemon.limits.update(body)
            return {"limits": daemon.limits}
        if path == "status":
            return daemon.status()
        return daemon.full(daemon.downloads[path.removeprefix("downloads/")])

    def file(self, name):
        path = FILES / name
        if path.parent != FILES or not path.is_file():
            return self.answer(404, b"There is nothing at this address.", "text/plain")
        fields = (("Content-Security-Policy", POLICY), ("Cache-Control", "no-cache"))
        return self.answer(200, path.read_bytes(), TYPES[path.suffix], fields)

    def events(self):
        daemon, reader = self.server.fake, queue.Queue()
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        daemon.readers.add(reader)
        try:
            while not self.server.ends.is_set():
                with daemon.lock:
                    status = json.dumps(daemon.status())
                self.send("status", status)
                until = time.monotonic() + self.server.interval
                while (left := until - time.monotonic()) > 0:
                    try:
                        self.send(*reader.get(timeout=left))
                    except queue.Empty:
                        break
                while daemon.is_hanging and not self.server.ends.wait(0.05):
                    pass
        finally:
            daemon.readers.discard(reader)

    def send(self, name, data):
        self.wfile.write(f"event: {name}\ndata: {data}\n\n".encode())


class Server(http.server.ThreadingHTTPServer):
    """The fake daemon at a port of this machine. Its time goes on each second if `runs` is true."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, fake, port=0, runs=True, interval=1.0):
        self.fake, self.interval, self.ends, self.sockets = fake, interval, threading.Event(), []
        self.answers, self.change = 0, threading.Condition()
        super().__init__(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/"
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        if runs:
            threading.Thread(target=self.run, daemon=True).start()

    def process_request(self, request, address):
        self.sockets.append(request)
        super().process_request(request, address)

    def handle_error(self, *_):
        # A browser that leaves is no fault.
        pass

    def run(self):
        while not self.ends.wait(1):
            self.fake.step()

    @contextlib.contextmanager
    def whole_answer(self):
        """An answer that `stop` does not cut off, and that does not begin after it."""
        with self.change:
            if self.ends.is_set():
                raise ConnectionAbortedError
            self.answers += 1
        try:
            yield
        finally:
            with self.change:
                self.answers -= 1
                self.change.notify_all()

    def stop(self):
        with self.change:
            self.ends.set()
            # The browser reports a head without its body.
            self.change.wait_for(lambda: not self.answers, timeout=10)
        self.shutdown()
        self.server_close()
        # Connections that the browser keeps would otherwise reach the daemon that has ended.
        for each in self.sockets:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


def everyday(fake):
    """A queue as a person would have it."""
    mebi, digest = 1 << 20, "4f5c1b0d9e8a7766554433221100ffeeddccbbaa99887766554433221100aabb"
    host = "https://cdimage.example.org"
    fake.play(
        f"{host}/debian-13.2.0-amd64-netinst.iso",
        412 * mebi,
        6,
        2.2 * mebi,
        checksums=[{"algorithm": "sha256", "hex": digest}],
        mirrors=["https://mirror.example.net/debian-13.2.0-amd64-netinst.iso"],
    )
    fake.play(
        "https://models.example.com/llama/model-00002-of-00004.safetensors",
        4700 * mebi,
        8,
        1.9 * mebi,
        slowBecause="All 8 connections allowed to one server, for all its files, are in use.",
        bottleneck={"kind": "hostCap", "share": 0.9, "connections": 8, "bytesPerSecond": None},
    )
    fake.play(
        "https://dl.example.org/one-stream/backup-2026-11.tar.zst",
        310 * mebi,
        1,
        0.9 * mebi,
        slowBecause="The server sends no byte ranges, so one connection fetches the whole file.",
    )
    fake.add(
        "https://releases.example.org/linux-6.18.1.tar.xz",
        state="retrying",
        retriesAt=time.time() + 95,
        bytesTotal=151 * mebi,
        bytesCompleted=62 * mebi,
        attempts=2,
        cost={"bytesUnused": 3 * mebi, "refusals": 4, "drops": 1, "retries": 2},
        error={
            "code": "httpStatus",
            "message": "https://releases.example.org/linux-6.18.1.tar.xz: the server "
            "answered 429 (too many requests): it asks to wait.",
            "status": 429,
            "isRetryable": True,
        },
    )
    for name in ("planet-latest.osm.pbf", "wikipedia_en_all_maxi.zim", "gutenberg-2026-11.tar"):
        fake.add(f"https://data.example.org/{name}")
    fake.add(
        "https://video.example.org/lectures/07-consensus.mp4",
        state="paused",
        bytesTotal=640 * mebi,
        bytesCompleted=221 * mebi,
        attempts=1,
    )
    fake.add(
        "https://example.org/data/corpus-v3.jsonl.gz",
        state="failed",
        attempts=1,
        bytesTotal=90 * mebi,
        ended=time.time() - 300,
        path="/data/corpus-v3.jsonl.gz",
        checksums=[{"algorithm": "sha256", "hex": digest}],
        error={
            "code": "checksumMismatch",
            "message": f"/data/corpus-v3.jsonl.gz: the received bytes have sha256 {digest[::-1]}, "
            f"but {digest} was expected; they are kept as '/data/corpus-v3.jsonl.gz.rejected'.",
            "status": None,
            "isRetryable": False,
        },
    )
    fake.add(
        "https://example.org/old/manual-1998.pdf",
        state="failed",
        attempts=1,
        ended=time.time() - 700,
        error={
            "code": "httpStatus",
            "message": "https://example.org/old/manual-1998.pdf: the server answered 404 (not found): check the URL.",
            "status": 404,
            "isRetryable": False,
        },
    )
    named = {"algorithm": "sha256", "hex": digest, **REQUESTED, "field": "Repr-Digest"}
    sent = {"algorithm": "md5", "hex": digest[:32], **REQUESTED, "isRequested": False, "field": "Content-MD5"}
    complete = (
        ("ubuntu-26.04-desktop-amd64.iso", 5320, named),
        ("swift-6.3.1-debian12.tar.gz", 912, named),
        ("sintel-2048-surround.mp4", 641, sent),
        ("GeoLite2-City.mmdb", 63, None),
    )
    for index, (name, size, proof) in enumerate(complete):
        fake.add(
            f"{host}/{name}",
            state="completed",
            bytesTotal=size * mebi,
            bytesCompleted=size * mebi,
            attempts=1,
            path=f"/data/{name}",
            started=time.time() - 5000,
            ended=time.time() - 900 * (index + 1),
            seconds=size / 9,
            proofs=[proof] if proof else [],
            checksums=[{"algorithm": "sha256", "hex": digest}] if proof is named else [],
        )


def mirrored(fake):
    """Mirrors in the states that they have most of the time."""
    now, host = time.time(), "https://mirror.example.net"
    fake.mirror(
        f"{host}/debian/pool/main/c/",
        listed=4120,
        isListed=False,
        new=38,
        changed=12,
        kept=1510,
        bytes=9 << 30,
        bytesReceived=310 << 20,
        bytesPerSecond=5.2 * (1 << 20),
        connections=8,
    )
    fake.mirror(
        f"{host}/pub/models/",
        state="complete",
        new=2,
        changed=1,
        removed=3,
        kept=214,
        listed=217,
        bytes=61 << 30,
        bytesReceived=4 << 30,
        ended=now - 5400,
        deletes=True,
        exclude=["*.tmp"],
        proof="/data/models/SHA256SUMS",
        cost={"bytesUnused": 3 << 20, "refusals": 2, "drops": 0, "retries": 2},
        changes=[
            ("new", "2026-11/weights-00001.safetensors", None),
            ("new", "2026-11/weights-00002.safetensors", None),
            ("changed", "index.json", None),
            *(("removed", f"2025-02/part-{number}.bin", None) for number in range(3)),
        ],
    )
    fake.mirror(
        "https://data.example.org/SHA256SUMS",
        state="incomplete",
        directory="/data/corpus",
        kept=11,
        gone=3,
        failed=1,
        listed=12,
        bytes=3 << 30,
        ended=now - 90_000,
        proof="/data/corpus/SHA256SUMS",
        changes=[("failed", "corpus-07.zst", "the server answered 404 (not found): check the URL.")],
    )


def crowd(fake, count=10_000):
    """More downloads than a document can hold."""
    states = ("completed", "paused", "failed", "completed", "paused")
    for index in range(count):
        fake.add(
            f"https://host.example/part-{index:05d}.bin",
            state=states[index % len(states)],
            bytesTotal=1 << 24,
            bytesCompleted=1 << 24 if index % 5 in (0, 3) else index * 1000,
        )


SCENES = {"everyday": everyday, "mirrored": mirrored, "crowd": crowd, "empty": lambda fake: None}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=6802)
    parser.add_argument("--scene", choices=SCENES, default="everyday")
    arguments = parser.parse_args()
    fake = Daemon()
    SCENES[arguments.scene](fake)
    server = Server(fake, arguments.port)
    print(f"{server.url}#token={fake.secret}", flush=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        server.stop()


if __name__ == "__main__":
    main()
