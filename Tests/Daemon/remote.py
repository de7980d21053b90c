#!/usr/bin/env python3
"""Drives a daemon by `segdl queue --remote`, verb by verb.

    Tests/Daemon/remote.py --segdl PATH
"""

import argparse
import json
import pathlib
import subprocess
import sys

import outcome
import rpc
from behaviours import BehavingServer, content
from daemons import SECRET, Segdl, environment, scratch, until
from outcome import holds, same

cases = outcome.Cases()


class Home:
    """A daemon, and a command that runs in another directory."""

    def __init__(self, program, path, files):
        self.program, self.path, self.files = program, path, files
        self.elsewhere = path / "elsewhere"
        self.elsewhere.mkdir()
        self.daemon = Segdl(program, path / "daemon")
        self.url = self.daemon.page.split("#")[0]

    def queue(self, *arguments, secret=SECRET, url=None):
        names = {**environment(self.elsewhere), "SEGDL_REMOTE": url or self.url, "SEGDL_RPC_SECRET": secret}
        return subprocess.run([self.program, "queue", *arguments], cwd=self.elsewhere, env=names, text=True,
                              capture_output=True, timeout=300, check=False, stdin=subprocess.DEVNULL)

    def done(self, *arguments):
        result = self.queue(*arguments)
        holds(result.returncode == 0, f"{arguments}: {result.returncode}: {result.stderr}")
        return result.stdout

    def refused(self, words, *arguments, **how):
        result = self.queue(*arguments, **how)
        holds(result.returncode and words in result.stderr, f"{arguments}: {result.returncode}: {result.stderr}")

    def list(self):
        return [json.loads(line) for line in self.done("list", "--json").splitlines()]

    def states(self):
        return [one["state"] for one in self.list()]


def make(path, program, files):
    (path / "daemon").mkdir()
    return Home(program, path, files)


@cases("add, list, pause, resume, move, set and remove work as on this machine")
def verbs(home):
    slow = home.files.url("slow/50000/5000000/slow.bin")
    home.done("add", "--paused", "-d", "deep", slow, home.files.url("file/70000/a.bin"))
    same(home.states(), ["paused", "paused"], "states")
    holds("slow.bin" in home.done("list"), "the table does not name the file")
    first, second = (str(one["id"]) for one in home.list())
    home.done("resume", second)
    until(lambda: home.states()[1] == "completed", home.states)
    same((home.daemon.directory / "deep" / "a.bin").read_bytes(), content(70000), "a.bin")
    home.done("move", second, "--front")
    same([str(one["id"]) for one in home.list()], [second, first], "order")
    home.done("set", first, "--priority", "5")
    same(home.list()[1]["priority"], 5, "priority")
    home.done("limit", "--limit-rate", "3M")
    same(rpc.exchange(home.daemon.port, "GET", "/api/v1/status", headers={
        "Authorization": f"Bearer {SECRET}"}).body["limits"]["bytesPerSecond"], 3 << 20, "the cap")
    home.done("resume", "all")
    until(lambda: home.states()[1] == "downloading", home.states)
    home.done("pause", slow)
    same(home.states()[1], "paused", "state after pause")
    home.done("cancel", first)
    home.done("remove", "--delete-files", "all")
    same(home.list(), [], "the list at the end")
    holds(not (home.daemon.directory / "deep" / "a.bin").exists(), "the file is still there")
    same(list(home.elsewhere.iterdir()), [], "files where the command ran")


@cases("two thousand downloads are listed in their order")
def many(home):
    urls = [home.files.url(f"file/1/{number}.bin") for number in range(2500)]
    (home.path / "list").write_text("\n".join(urls))
    home.done("add", "--paused", "-i", home.path / "list")
    same([one["source"] for one in home.list()], urls, "the URLs")


@cases("a caller elsewhere stays inside the fence, and runs no programs")
def fenced(home):
    url = home.files.url("file/10/evil")
    for place in ("../outside", "/tmp/outside"):
        home.refused("is not a path for files", "add", "-d", place, url)
    home.refused("--on-complete", "add", "--on-complete", "touch evil", url)
    home.refused("--key", "add", "--key", "x", url)
    same(home.list(), [], "the list")


@cases("caps that clients change are those of the next start, also after a kill")
def caps(home):
    home.done("limit", "-x", "9", "--limit-rate", "3M")
    rpc.exchange(home.daemon.port, "PATCH", "/api/v1/limits", json.dumps({"connectionsPerHost": 5}),
                 headers={"Authorization": f"Bearer {SECRET}"})
    changed = {"max-concurrent-downloads": "2", "max-connection-per-server": "3", "split": "3",
               "max-download-limit": str(7 << 20)}
    rpc.Caller(home.daemon.port, SECRET)("changeGlobalOption", changed)
    for end in (home.daemon.kill, home.daemon.stop):
        end()
        home.daemon.start()
        home.url = home.daemon.page.split("#")[0]
        limits = rpc.exchange(home.daemon.port, "GET", "/api/v1/status", headers={
            "Authorization": f"Bearer {SECRET}"}).body["limits"]
        same(limits, {"activeFiles": 2, "connections": 9, "connectionsPerHost": 5, "bytesPerSecond": 3 << 20},
             "the caps")
        shown = rpc.Caller(home.daemon.port, SECRET)("getGlobalOption")
        same({name: shown[name] for name in changed}, changed, "the options")


@cases("a file of another type than is expected fails, and one of that type is fetched")
def expected_type(home):
    url = home.files.url("field/Content-Type/text%2Fhtml")
    home.done("add", "--expect-type", "image/*", "-o", "page.png", url)
    home.done("add", "--expect-type", "image/*", "--expect-type", "text/*", "-o", "a.html", url)
    until(lambda: home.states() == ["failed", "completed"], home.states)
    holds("image/* is expected" in home.list()[0]["error"]["message"], home.list()[0])
    holds(not (home.daemon.directory / "page.png").exists(), "the file is there")


@cases("a wrong secret, an address without a daemon, and a missing number are named")
def errors(home):
    home.refused("does not accept this secret", "list", secret="wrong")
    home.refused("Cannot reach", "list", url="http://127.0.0.1:9/")
    home.refused("is not the page of a segdl serve", "list", url=home.files.url(""))
    home.refused("no download of number 7", "pause", "7")
    home.refused("cannot be combined", "list", "--remote", home.url, "--queue", "q")
    home.refused("where segdl serve already runs it", "start")


@cases("the address that the daemon prints works as it is, and ps does not show its secret")
def printed(home):
    address = f"{home.url}#token={SECRET}"
    home.done("add", "--remote", address, "--paused", home.files.url("file/1/a"))
    result = home.queue("list", "--remote", address, secret="wrong")
    same(result.returncode, 0, result.stderr)
    file = home.path / "secret"
    file.write_text(SECRET + "\n")
    same(home.queue("list", "--remote-secret-file", str(file), secret="wrong").returncode, 0, "with a file")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segdl", type=pathlib.Path, required=True, help="the command")
    asked = parser.parse_args()
    files, results = BehavingServer(), []
    for case in cases:
        with scratch() as path:
            home = make(path, asked.segdl.resolve(), files)
            results.append(outcome.run(case, home))
            home.daemon.stop()
    files.stop()
    sys.exit(outcome.report("remote", results))


if __name__ == "__main__":
    main()
