#!/usr/bin/env python3
"""Runs mirrors in the daemon by its own API: what changed, stops, kills, the fence, and what hostile servers list.

    Tests/Daemon/mirrors.py --segdl PATH
"""

import argparse
import json
import pathlib
import subprocess
import sys

import outcome
import rpc
from daemons import SECRET, Segdl, scratch, until
from outcome import holds, same
from tree import Tree

cases = outcome.Cases()
FIGURES = ("new", "changed", "kept", "removed", "failed")
ENDED = ("complete", "incomplete", "failed", "stopped")
BIG = bytes(range(256)) * 4096  # a MiB


class Home:
    """A daemon, and a tree that it mirrors."""

    def __init__(self, program, path):
        self.daemon = Segdl(program, path / "daemon")
        self.directory = self.daemon.directory
        self.tree = Tree(path / "tree")

    def call(self, method, path, body=None, status=200):
        text = None if body is None else json.dumps(body)
        answer = rpc.exchange(self.daemon.port, method, f"/api/v1/{path}", text, {"Authorization": f"Bearer {SECRET}"})
        same(answer.status, status, f"{method} {path} {body}: {answer.body}")
        return answer.body

    def add(self, directory="copy", source=None, **members):
        wanted = {"source": source or self.tree.url(), "directory": directory, **members}
        return self.call("POST", "mirrors", wanted)["mirror"]["id"]

    def refused(self, words, status=400, **wanted):
        message = self.call("POST", "mirrors", wanted, status)["error"]["message"]
        holds(words in message, f"{wanted}: {message}")

    def act(self, mirror, action, status=200):
        return self.call("POST", f"mirrors/{mirror}", {"action": action}, status)

    def now(self, mirror):
        return self.call("GET", f"mirrors/{mirror}")

    def until_state(self, mirror, *states):
        return until(lambda: (now := self.now(mirror))["state"] in states and now, lambda: self.now(mirror))

    def until_ended(self, mirror, state="complete"):
        now = self.until_state(mirror, *ENDED)
        same(now["state"], state, f"the state: {now}")
        return now

    def again(self, mirror, state="complete"):
        self.act(mirror, "run")
        return self.until_ended(mirror, state)

    def restart(self):
        self.daemon.kill()
        self.daemon.start()


def figures(mirror):
    return tuple(mirror[name] for name in FIGURES)


def files(directory):
    """The files of a mirror without those that it writes itself."""
    own = {"SHA256SUMS", "segdl-mirror.jsonl"}
    return {str(path.relative_to(directory)): path.read_bytes() for path in sorted(directory.rglob("*"))
            if path.is_file() and path.name not in own and not path.name.startswith(".segdl-mirror.")}


@cases("a mirror is one line with what changed: new, changed, kept, removed")
def changes(home):
    home.tree.write("a.bin", b"first" * 1000, age=100)
    home.tree.write("b.bin", BIG, age=100)
    home.tree.write("deep/c", b"", age=100)
    mirror = home.add(deletes=True)
    now = home.until_ended(mirror)
    same(figures(now), (3, 0, 0, 0, 0), "figures of the first run")
    same(now["bytes"], 5000 + len(BIG), "bytes")
    same(files(home.directory / "copy"), {"a.bin": b"first" * 1000, "b.bin": BIG, "deep/c": b""}, "files")
    same(now["proof"], str(home.directory / "copy/SHA256SUMS"), "proof")
    done = subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=home.directory / "copy", capture_output=True,
                          check=False)
    same(done.returncode, 0, f"sha256sum -c: {done.stdout}")
    home.tree.write("a.bin", b"second" * 1000)
    home.tree.write("deep/d", b"new")
    (home.tree.root / "deep/c").unlink()
    now = home.again(mirror)
    same(figures(now), (1, 1, 1, 1, 0), "figures of the second run")
    told = {(one["kind"], one["path"]) for one in now["changes"]}
    same(told, {("new", "deep/d"), ("changed", "a.bin"), ("removed", "deep/c")}, "changes by name")
    same(files(home.directory / "copy"), {"a.bin": b"second" * 1000, "b.bin": BIG, "deep/d": b"new"}, "files")
    asked = len(home.tree.requests)
    now = home.again(mirror)
    same((figures(now), now["bytesReceived"]), ((0, 0, 3, 0, 0), 0), "figures of a run without changes")
    holds(len(home.tree.requests) > asked, "the server was not asked")


@cases("files that are gone at the source stay, and are counted as such")
def gone(home):
    for name in "abcd":
        home.tree.write(f"pub/{name}", name.encode() * 100, age=100)
    mirror = home.add(source=home.tree.url("pub/"))
    same(home.until_ended(mirror)["gone"], 0, "gone at first")
    for name in "abc":
        (home.tree.root / "pub" / name).unlink()
    (home.directory / "copy/c").unlink()
    now = home.again(mirror)
    same((now["gone"], figures(now)), (2, (0, 0, 1, 0, 0)), "figures")
    same(sorted(files(home.directory / "copy")), ["a", "b", "d"], "files")
    (home.tree.root / "pub/d").unlink()
    (home.tree.root / "pub").rmdir()
    same(home.again(mirror, "failed")["gone"], None, "gone at a source that cannot be read")


@cases("files that fail are named with their reason, and the next run fetches them")
def failures(home):
    home.tree.write("list.jsonl", b'{"url": "%s"}\n{"url": "%s"}\n' % (
        home.tree.url("good").encode(), home.tree.url("late").encode()))
    home.tree.write("good", b"good")
    mirror = home.add(source=home.tree.url("list.jsonl"))
    now = home.until_ended(mirror, "incomplete")
    same(figures(now), (1, 0, 0, 0, 1), "figures")
    fault = next(one for one in now["changes"] if one["kind"] == "failed")
    holds(fault["path"] == "late" and "404" in fault["message"], f"the failure: {fault}")
    home.tree.write("late", b"late")
    same(figures(home.again(mirror)), (1, 0, 1, 0, 0), "figures once it is there")


@cases("a source that cannot be read fails with words, and nothing is removed")
def no_source(home):
    home.tree.write("pub/a", b"a")
    mirror = home.add(source=home.tree.url("pub/"), deletes=True)
    home.until_ended(mirror)
    (home.tree.root / "pub/a").unlink()
    (home.tree.root / "pub").rmdir()
    now = home.again(mirror, "failed")
    holds("404" in now["problem"], f"the problem: {now['problem']}")
    same(files(home.directory / "copy"), {"a": b"a"}, "files")


@cases("a mirror that is stopped goes on where it was, and one that is removed leaves its files")
def stops(home):
    for number in range(4):
        home.tree.write(f"{number}.bin", BIG)
    home.tree.write("small", b"small")
    home.tree.gate.clear()
    mirror = home.add()
    until(lambda: home.now(mirror)["files"], lambda: f"files are under way: {home.now(mirror)}")
    holds(home.act(mirror, "stop")["mirror"]["state"] in ("stopping", "stopped"), "the state after stop")
    home.tree.gate.set()
    home.until_ended(mirror, "stopped")
    home.again(mirror)
    same(len(files(home.directory / "copy")), 5, "files")
    same(home.act(mirror, "remove")["mirror"], None, "the answer to remove")
    same(home.call("GET", "mirrors")["mirrors"], [], "mirrors")
    same(len(files(home.directory / "copy")), 5, "files after remove")
    home.act(mirror, "run", 404)
    home.until_ended(home.add())


@cases("a mirror that was acknowledged runs after kill -9 until it is complete, and a stopped one stays stopped")
def kills(home):
    for number in range(6):
        home.tree.write(f"{number}.bin", BIG)
    home.tree.gate.clear()
    mirror, other = home.add(), home.add("other", stopped=True)
    home.restart()
    same([one["id"] for one in home.call("GET", "mirrors")["mirrors"]], [mirror, other], "mirrors after a kill at once")
    until(lambda: home.now(mirror)["files"], lambda: f"files are under way: {home.now(mirror)}")
    home.restart()
    same(home.now(mirror)["state"], "running", "the state after a kill under way")
    home.tree.gate.set()
    home.until_ended(mirror)
    home.restart()
    # A kill right after the end makes it run once more, if its end was not on the disk yet.
    home.until_ended(mirror)
    same(figures(home.now(mirror))[3:], (0, 0), "figures of the last run after a kill")
    same([one["state"] for one in home.call("GET", "mirrors")["mirrors"]], ["complete", "stopped"], "states")
    same(files(home.directory / "copy"), {f"{number}.bin": BIG for number in range(6)}, "files")
    home.act(mirror, "remove")
    home.restart()
    same([one["id"] for one in home.call("GET", "mirrors")["mirrors"]], [other], "mirrors after remove and a kill")


@cases("a mirror that is removed while its run ends does not come back")
def removed(home):
    home.tree.write("a.bin", BIG)
    home.tree.gate.clear()
    for number in range(20):
        mirror = home.add(f"copy{number}")
        home.act(mirror, "stop")
        home.act(mirror, "remove")
    same(home.call("GET", "mirrors")["mirrors"], [], "mirrors")
    home.restart()
    same(home.call("GET", "mirrors")["mirrors"], [], "mirrors after a kill")


@cases("an orderly end lets a mirror run again at the next start, unless --stay-paused is given")
def ends(home):
    home.tree.write("a.bin", BIG)
    home.tree.gate.clear()
    mirror = home.add()
    until(lambda: home.now(mirror)["files"], lambda: "a file is under way")
    same(home.daemon.stop(), 0, "the exit status")
    home.daemon.start()
    same(home.now(mirror)["state"], "running", "the state after an orderly end")
    home.daemon.stop()
    home.daemon.options = ("--stay-paused",)
    home.daemon.start()
    same(home.now(mirror)["state"], "stopped", "the state with --stay-paused")
    home.tree.gate.set()
    home.again(mirror)
    same(files(home.directory / "copy"), {"a.bin": BIG}, "files")


@cases("downloads and mirrors share the caps")
def caps(home):
    for number in range(12):
        home.tree.write(f"{number}.bin", BIG)
    home.call("PATCH", "limits", {"activeFiles": 3, "connections": 3, "connectionsPerHost": 3})
    home.tree.gate.clear()
    # First the download: a mirror that lists quickly has files for all three connections, which the gate holds.
    home.call("POST", "downloads", {"downloads": [{"url": home.tree.url("0.bin"), "name": "own.bin"}]})
    until(lambda: home.tree.bodies == 1 and home.tree.asked("0.bin"), lambda: "the download is under way")
    mirror = home.add()
    until(lambda: home.tree.bodies == 3, lambda: f"bodies: {home.tree.bodies}")
    home.call("GET", "status")
    same(home.tree.most, 3, "bodies at the same time")
    home.tree.gate.set()
    home.until_ended(mirror)
    until((home.directory / "own.bin").exists, lambda: "the download is complete")


@cases("a mirror stays inside the fence: directories, links, hidden names and the daemon's own files")
def fenced(home):
    outside = home.daemon.home / "outside"
    outside.mkdir()
    source = home.tree.url()
    for place in ("../outside", str(outside), "x/../../outside", "/", "/tmp", ".ssh", "a/.git", "", "x\u0000y", "x\ny"):
        holds(home.call("POST", "mirrors", {"source": source, "directory": place}, 400)["error"]["message"], place)
    (home.directory / "link").symlink_to(outside)
    home.refused("is not a path for files", source=source, directory="link")
    home.refused("is not a path for files", source=source, directory="link/deep")
    same(home.call("GET", "mirrors")["mirrors"], [], "mirrors")
    # Names of the server's.
    home.tree.write("good", b"good")
    home.tree.write(".ssh/authorized_keys", b"evil")
    home.tree.write("link/evil", b"evil")
    home.tree.write("link/deep/evil", b"evil")
    copy = home.directory / "copy"
    copy.mkdir()
    (copy / "link").symlink_to(outside)
    now = home.until_ended(home.add(), "incomplete")
    same(figures(now), (1, 0, 0, 0, 3), "figures")
    holds(all("use segdl mirror" in one["message"] for one in now["changes"] if one["kind"] == "failed"), f"{now}")
    same(list(outside.rglob("*")), [], "files outside")
    same(sorted(files(copy)), ["good"], "files")
    same((copy / ".ssh").exists(), False, "a hidden directory")


@cases("a mirror over the daemon's own queue leaves it alone")
def own_files(home):
    home.daemon.stop()
    home.daemon.options = ("--queue", home.directory / "copy/queue.sqlite")
    (home.directory / "copy").mkdir()
    home.daemon.start()
    home.tree.write("queue.sqlite", b"evil")
    home.tree.write("queue.sqlite.jobs", b"evil")
    home.tree.write("good", b"good")
    now = home.until_ended(home.add(), "incomplete")
    same(figures(now), (1, 0, 0, 0, 2), "figures")
    holds(b"SQLite" in (home.directory / "copy/queue.sqlite").read_bytes()[:16], "the queue was replaced")


@cases("a link that comes between the order and the run leads nowhere")
def late_link(home):
    outside = home.daemon.home / "outside"
    outside.mkdir()
    home.tree.write("evil", b"evil")
    mirror = home.add(stopped=True)
    (home.directory / "copy").symlink_to(outside)
    now = home.again(mirror, "failed")
    holds("is not a path for files" in now["problem"], now["problem"])
    same(list(outside.iterdir()), [], "files outside")


@cases("sources, headers and globs that make no sense are refused before anything is stored")
def nonsense(home):
    source = home.tree.url()
    for wanted in ({"source": "ftp://h/"}, {"source": "s3://bucket/"}, {"source": "/etc/passwd"}, {"source": "x"},
                   {"headers": ["A: b\r\nC: d"]}, {"headers": ["no colon"]}, {"headers": ["Range: bytes=0-1"]},
                   {"include": ["["]}, {"depth": -1}, {"depth": "2"}, {"format": "x"}, {"prefix": "p"}, {"deletes": 1},
                   {"unknown": 1}, {"include": "x"}, {"directory": 5}):
        home.call("POST", "mirrors", {"source": source, "directory": "copy", **wanted}, 400)
    same(home.call("GET", "mirrors")["mirrors"], [], "mirrors")
    mirror = home.add(stopped=True)
    home.refused("Another mirror already uses", 409, source=source, directory="copy")
    home.refused("Another mirror already uses", 409, source=source, directory=str(home.directory / "copy"))
    home.act(mirror, "delete", 400)
    home.act("0" * 16, "run", 404)
    home.call("GET", "mirrors/x", status=404)


@cases("a thousand mirrors are kept, and one more is refused with words until one is removed")
def many(home):
    mirrors = [home.add(f"copy{number}", stopped=True) for number in range(1000)]
    home.refused("remove one", 409, source=home.tree.url(), directory="more", stopped=True)
    same(len(home.call("GET", "mirrors")["mirrors"]), 1000, "mirrors")
    home.act(mirrors[0], "remove")
    home.add("more", stopped=True)


@cases("headers and passwords go to the source's server, and come out nowhere")
def secrets(home):
    home.tree.write("a", b"a")
    source = home.tree.url().replace("//", "//user:hidden@")
    mirror = home.add(source=source)
    home.until_ended(mirror)
    holds(all(headers.get("Authorization") for _, headers in home.tree.requests), "a request without credentials")
    other = home.add("other", headers=["X-Key: hidden"])
    home.until_ended(other)
    holds(home.tree.requests[-1][1].get("X-Key") == "hidden", "the header was not sent")
    for path in ("mirrors", f"mirrors/{mirror}", f"mirrors/{other}", "status"):
        holds("hidden" not in json.dumps(home.call("GET", path)), f"a secret in {path}")
    same((home.daemon.home / "queue.sqlite.jobs").stat().st_mode & 0o077, 0, "others may read the store")


@cases("globs and depth choose the files")
def chosen(home):
    for path in ("a.iso", "b.txt", "deep/c.iso", "deep/er/d.iso"):
        home.tree.write(path, path.encode())
    home.until_ended(home.add(include=["*.iso"], exclude=["a.*"], depth=1))
    same(files(home.directory / "copy"), {"deep/c.iso": b"deep/c.iso"}, "files")


@cases("files of another type than is expected fail")
def expected_types(home):
    home.tree.write("a", b"a")
    shown = home.until_ended(home.add(expectedTypes=["image/*"]), "incomplete")
    same((shown["failed"], shown["expectedTypes"]), (1, ["image/*"]), "the mirror")
    holds("image/* is expected" in shown["changes"][0]["message"], shown["changes"])


@cases("events and metrics tell of mirrors")
def told(home):
    home.tree.write("a", b"a")
    with Events(home.daemon.port) as events:
        mirror = home.add()
        states = events.until("mirror", lambda data: data["id"] == mirror and data["state"] == "complete")
        same(states[0]["state"] in ("waiting", "running"), True, f"the first state: {states}")
        home.act(mirror, "remove")
        events.until("mirrorRemoved", lambda data: data["id"] == mirror)
    home.until_ended(home.add())
    figures_ = rpc.exchange(home.daemon.port, "GET", "/metrics", headers={"Authorization": f"Bearer {SECRET}"}).body
    holds(b'segdl_mirrors{state="complete"} 1\n' in figures_, figures_)
    holds(b'segdl_mirror_files{change="kept"} 1\n' in figures_, figures_)


class Events:
    """The stream of events."""

    def __init__(self, port):
        self.caller = rpc.http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self.caller.request("GET", "/api/v1/events", headers={"Authorization": f"Bearer {SECRET}"})
        self.stream = self.caller.getresponse()

    def until(self, name, is_last):
        """Returns the data of the events of a name up to the last one."""
        found = []
        while line := self.stream.readline().decode():
            if line.startswith("event: "):
                current = line[7:].strip()
            elif line.startswith("data: ") and current == name:
                found.append(json.loads(line[6:]))
                if is_last(found[-1]):
                    return found
        raise outcome.Fault(f"the stream has ended: {found}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.caller.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segdl", type=pathlib.Path, required=True, help="the command")
    parser.add_argument("--only", default="", help="cases with this in their title")
    asked = parser.parse_args()
    results = []
    for case in cases:
        if asked.only not in case.title:
            continue
        with scratch() as path:
            home = Home(asked.segdl.resolve(), path)
            try:
                results.append(outcome.run(case, home))
            finally:
                home.daemon.stop()
                home.tree.stop()
    sys.exit(outcome.report("mirrors", results))


if __name__ == "__main__":
    main()
