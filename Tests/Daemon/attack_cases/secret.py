"""The secret: guesses, places where it shows, and daemons without one."""

import contextlib
import json
import pathlib
import subprocess
import threading

import rpc
from daemons import SECRET, Segdl, environment
from outcome import Cases, holds, same

cases = Cases()


@cases("guesses hold up callers with the right secret")
def slow_guess(it):
    order = []

    def guess():
        rpc.post(it.port, {"id": 1, "method": "aria2.getVersion", "params": ["token:guess"]}, timeout=60)
        order.append("guess")

    with contextlib.ExitStack() as stack:
        callers = [rpc.Caller(it.port, it.daemon.secret) for _ in range(5)]
        for caller in callers:
            stack.callback(caller.close)
        guesses = [threading.Thread(target=guess, daemon=True) for _ in range(8)]
        for one in guesses:
            one.start()
        # One call of each connection: a connection that waits for a guess is answered after it.
        for caller in callers:
            caller("getVersion")
            order.append("call")
        for one in guesses:
            one.join()
    same(order[:5].count("call"), 5, "right calls that were answered before the first guess")


@cases("thousands of guesses in one request or on one WebSocket hold up others")
def many_guesses(it):
    calls = [{"methodName": "aria2.getVersion", "params": [f"token:{number}"]} for number in range(3000)]
    with it.websocket() as one, it.websocket() as two:
        one.send(json.dumps({"id": 1, "method": "system.multicall", "params": [calls]}))
        for number in range(1000):
            two.send(json.dumps({"id": number, "method": "aria2.getVersion", "params": ["token:x"]}))
        for _ in range(10):
            same(rpc.post(it.port, it.request("getVersion"), timeout=60).status, 200, "status meanwhile")


@cases("the secret shows in the list of processes")
def processes(it):
    arguments = pathlib.Path(f"/proc/{it.daemon.process.pid}/cmdline").read_bytes()
    holds(SECRET.encode() not in arguments, "the secret is in the arguments")


@cases("the secret is in a file that the daemon leaves, or in what it writes")
def traces(it):
    it.add("file/10/x.bin")
    it.post({"id": 1, "method": "aria2.getVersion", "params": [f"token:{SECRET}x"]})
    it.call("nope")
    for path in it.daemon.home.rglob("*"):
        if path.is_file() and not path.is_symlink():
            holds(SECRET.encode() not in path.read_bytes(), f"the secret is in {path.name}")


@cases("a daemon that was given no secret answers to everyone", "own", "none")
def without(it):
    answer = rpc.post(it.port, {"id": 1, "method": "aria2.getGlobalOption"})
    same(answer.body.get("error", {}).get("message"), "Unauthorized", "a call without a token")
    made = [path for path in it.daemon.home.rglob("*") if "secret" in path.name and path.is_file()]
    same(len(made), 1, "files with a secret")
    same(made[0].stat().st_mode & 0o777, 0o600, "its mode")
    token = made[0].read_text().strip()
    holds(len(token) >= 16, "the secret is short")
    holds(f"#token={token}" in it.daemon.page, "the page's address has no token")
    answer = rpc.post(it.port, rpc.request("aria2.getVersion", [f"token:{token}"]))
    same(answer.status, 200, "a call with the secret of the file")


@cases("the secrets of two daemons are the same", "own", "none", "segdl")
def different(it):
    home = it.daemon.home / "second"
    second = Segdl(it.daemon.program, home, secret=None)
    holds(second.stop() == 0 and second.page.split("#")[1:] != it.daemon.page.split("#")[1:], "two secrets are equal")


@cases("an empty or a short secret is taken when others can reach it", "own", "segdl")
def short(it):
    for secret, address in (("", "127.0.0.1:0"), ("short", "0.0.0.0:0"), ("fifteen-letters", "[::]:0")):
        started = subprocess.Popen(
            [it.daemon.program, "serve", "--listen", address, "--rpc-secret", secret, "-d", it.daemon.directory,
             "--queue", it.daemon.home / "other.sqlite"], env=environment(it.daemon.home), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        try:
            _, words = started.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            started.kill()
            started.communicate()
            holds(False, f"it listens on {address} with the secret {secret!r}")
        holds(started.returncode != 0 and words, f"{address} with {secret!r}: status {started.returncode}, {words!r}")
