"""What a case has in its hands: a daemon, a file server, and short ways to call."""

import contextlib
import secrets
import subprocess
import time

import rpc
from daemons import until
from outcome import same
from wsclient import WebSocket

FINAL = ("complete", "error", "removed")


def new_gid():
    # The first digit is not 0, so that aria2 does not take it for the reserved one.
    return "1" + secrets.token_hex(8)[1:]


class Stand:
    """`is_aria2` tells the two apart where we mean to differ."""

    def __init__(self, daemon, files):
        self.daemon, self.files = daemon, files
        self.port, self.token, self.directory = daemon.port, f"token:{daemon.secret}", daemon.directory
        self.is_aria2 = daemon.name == "aria2c"
        self.called, self.differences = set(), {}

    # MARK: Calls

    def call(self, method, *params):
        """Posts a call with the token; `method` without a dot is one of aria2's."""
        return self.post(self.request(method, *params))

    def result(self, method, *params):
        return self.call(method, *params).result

    def request(self, method, *params, identity="1"):
        name = method if "." in method else f"aria2.{method}"
        self.called.add(name)
        return rpc.request(name, [self.token, *params], identity)

    def post(self, value, **headers):
        return rpc.post(self.port, value, headers)

    def websocket(self, **how):
        return WebSocket(self.port, **how)

    def over_websocket(self, value):
        with self.websocket() as socket:
            return rpc.Answer(0, socket.ask(value), {})

    def over_get(self, value):
        return rpc.get(self.port, value["method"], value.get("params"), value["id"])

    @property
    def ways(self):
        """The three ways that a request with a text as id can go."""
        return {"POST": self.post, "WebSocket": self.over_websocket, "GET": self.over_get}

    def refused(self, answer, message, code=1, status=400):
        """The answer is an error with these words."""
        same((answer.code, answer.message), (code, message), "error")
        same(answer.status, status, f"HTTP status of {message}")

    def differs(self, aria2, ours, because):
        """The value that is expected here, where we mean to differ."""
        self.differences[because] = (aria2, ours)
        return aria2 if self.is_aria2 else ours

    # MARK: Downloads

    def add(self, path, **options):
        """Adds a path of the file server, under a gid of its own."""
        options = {name.replace("_", "-"): value for name, value in options.items()}
        gid = options.setdefault("gid", new_gid())
        same(self.result("addUri", [self.files.url(path)], options), gid, "gid of an added download")
        return gid

    def paused(self, name="late/a", **options):
        return self.add(name, pause="true", **options)

    def status(self, gid, *keys):
        return self.result("tellStatus", gid, list(keys))

    def state(self, gid):
        return self.status(gid, "status")["status"]

    def until_state(self, gid, *states, seconds=120):
        until(lambda: self.state(gid) in states, lambda: f"{gid} is {' or '.join(states)}: {self.status(gid)}", seconds)

    def until_bytes(self, gid, count=1):
        """Waits until a download has fetched so many bytes."""
        until(lambda: int(self.status(gid, "completedLength")["completedLength"]) >= count,
              lambda: f"{gid} has {count} bytes: {self.status(gid)}")

    def waiting(self):
        return [status["gid"] for status in self.result("tellWaiting", 0, 1000, ["gid"])]

    def active(self):
        return [status["gid"] for status in self.result("tellActive", ["gid"])]

    def connected(self, gid):
        """Waits until the file server has been asked for something by a download."""
        path = self.result("getFiles", gid)[0]["uris"][0]["uri"].split("/", 3)[3]
        until(lambda: self.files.asked(path), lambda: f"a request for {path}")

    def reset(self):
        """Leaves neither downloads nor files to the next case."""
        for _ in range(3):
            for gid in [*self.waiting(), *self.active()]:
                with contextlib.suppress(rpc.Failure):
                    self.result("forceRemove", gid)
            end = time.monotonic() + 20
            while self.active() and time.monotonic() < end:
                time.sleep(0.01)
            if not self.waiting():
                break
        self.result("purgeDownloadResult")
        subprocess.run(["rm", "-rf", *self.directory.iterdir()], check=True)
