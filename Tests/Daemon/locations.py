#!/usr/bin/env python3
"""Adds files of a hub of models to a daemon by its API, by aria2's RPC and by `segdl queue --remote`, mirrors of a
repository and of an image, and files whose publisher lists their digests.

    Tests/Daemon/locations.py --segdl PATH
"""

import argparse
import contextlib
import hashlib
import json
import os
import pathlib
import subprocess
import sys

import outcome
import rpc
from daemons import SECRET, Segdl, environment, scratch, until
from outcome import holds, same
from tree import Tree

cases = outcome.Cases()
SERVERS = pathlib.Path(__file__).resolve().parent.parent
HUB = pathlib.Path(__file__).resolve().parent.parent / "HubServer/server.py"
TOKEN = "hf_of_the_daemon"
FILES = {"config.json": {"text": "{}"}, "dir/weights.bin": {"seed": 1, "size": 400_000}, "b.txt": {"text": "b"}}


class Hub:
    """The replica of a hub with one gated repository."""

    def __init__(self, path):
        path.mkdir()
        config = path / "hub.json"
        repository = {"commit": "a" * 40, "files": FILES, "gated": "auto"}
        hidden = {**repository, "files": {**FILES, ".gitattributes": {"text": "x"}}}
        config.write_text(json.dumps({
            "repositories": {"models/org/model": repository, "models/org/hidden": hidden}, "large": 100_000,
            "token": TOKEN}))
        self.process = subprocess.Popen([sys.executable, HUB, config], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.url = f"http://127.0.0.1:{self.process.stdout.readline().split()[1]}"

    def stop(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class Home:
    def __init__(self, program, path, *options):
        self.program, self.path = program, path
        self.hub = Hub(path / "hub")
        # The daemon has the token, and its clients have none.
        os.environ |= {"HF_ENDPOINT": self.hub.url, "HF_TOKEN": TOKEN}
        try:
            (path / "daemon").mkdir()
            self.daemon = Segdl(program, path / "daemon", *options)
        finally:
            del os.environ["HF_ENDPOINT"], os.environ["HF_TOKEN"]

    def call(self, method, path, body=None):
        text = None if body is None else json.dumps(body)
        return rpc.exchange(self.daemon.port, method, f"/api/v1/{path}", text, {"Authorization": f"Bearer {SECRET}"})

    def downloads(self):
        return self.call("GET", "downloads").body["downloads"]

    def until_ended(self, count, state="completed"):
        def ended():
            found = self.downloads()
            return len(found) == count and all(one["state"] in ("completed", "failed") for one in found) and found
        found = until(ended, self.downloads)
        same({one["state"] for one in found}, {state}, f"the states: {found}")
        return found

    def stop(self):
        self.daemon.stop()
        self.hub.stop()


@cases("files of a hub are added by every entrance, fetched with the daemon's token, and stored without it")
def hub(home):
    added = home.call("POST", "downloads", {"downloads": [{"url": "hf://org/model/config.json"}]})
    holds(added.status < 300, f"{added}")
    answer = rpc.post(home.daemon.port, rpc.request("aria2.addUri", [f"token:{SECRET}", ["hf://org/model/b.txt"]]))
    holds("result" in answer.body, f"{answer}")
    (home.path / "elsewhere").mkdir()
    names = {**environment(home.path / "elsewhere"), "SEGDL_REMOTE": home.daemon.page.split("#")[0],
             "SEGDL_RPC_SECRET": SECRET}
    remote = subprocess.run([home.program, "queue", "add", "hf://org/model/dir/weights.bin"], env=names, text=True,
                            capture_output=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
    same(remote.returncode, 0, remote.stderr)
    found = home.until_ended(3)
    same({one["url"] for one in found}, {f"hf://org/model/{name}" for name in FILES}, "the URLs")
    same({path.name: path.stat().st_size for path in home.daemon.directory.iterdir()},
         {"config.json": 2, "weights.bin": 400_000, "b.txt": 1}, "the files")
    home.daemon.stop()
    for path in home.daemon.home.glob("queue.sqlite*"):
        holds(TOKEN.encode() not in path.read_bytes(), f"{path} has the token")
    home.daemon.start()
    same(len(home.downloads()), 3, "the downloads after a restart")


def until_mirrored(home, source, directory):
    added = home.call("POST", "mirrors", {"source": source, "directory": directory})
    holds(added.status < 300, f"{added}")
    place = f"mirrors/{added.body['mirror']['id']}"
    ends = ("complete", "incomplete", "failed")
    now = until(lambda: (now := home.call("GET", place).body)["state"] in ends and now, lambda: home.call("GET", place))
    same((now["state"], now["source"]), ("complete", source), f"{now}")
    return now


@cases("a mirror of a repository has its files but hidden ones, by the daemon's token, and again fetches nothing")
def repository(home):
    now = until_mirrored(home, "hf://org/hidden", "model")
    same((now["new"], now["failed"]), (len(FILES), 0), f"{now}")
    root = home.daemon.directory / "model"
    same((root / "dir/weights.bin").stat().st_size, 400_000, "the length")
    same((root / "config.json").read_text(), "{}", "the content")
    home.call("POST", f"mirrors/{now['id']}", {"action": "run"})
    place = f"mirrors/{now['id']}"
    again = until(lambda: (later := home.call("GET", place).body)["state"] == "complete" and
                  later["ended"] != now["ended"] and later, lambda: home.call("GET", place))
    same((again["new"], again["kept"]), (0, len(FILES)), f"{again}")
    home.daemon.stop()
    for path in home.daemon.home.glob("queue.sqlite*"):
        holds(TOKEN.encode() not in path.read_bytes(), f"{path} has the token")
    home.daemon.start()


@cases("a mirror of an image is an OCI layout")
def image(home):
    config = home.path / "registry.json"
    config.write_text(json.dumps({"size": 300_000}))
    with subprocess.Popen([sys.executable, SERVERS / "RegistryServer/server.py", config], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as registry:
        try:
            words = registry.stdout.readline().split()
            port = next(word for word in words if word.isdecimal())
            until_mirrored(home, f"oci://127.0.0.1:{port}/org/app:v1", "image")
        finally:
            registry.stdin.close()
    root = home.daemon.directory / "image"
    index = json.loads((root / "index.json").read_text())
    for line in index["manifests"]:
        algorithm, digest = line["digest"].split(":")
        found = (root / "blobs" / algorithm / digest).read_bytes()
        same(hashlib.new(algorithm, found).hexdigest(), digest, "the manifest")
    same(len(index["manifests"]), 1, "the images")
    holds((root / "oci-layout").exists(), "no oci-layout")


@cases("a source that names no repository or image is refused, and nothing is removed from a layout of images")
def nonsense(home):
    for wanted in ({"source": "hf://"}, {"source": "oci://host"}, {"source": "s3://bucket/"},
                   {"source": "hf://org/model", "format": "index"}, {"source": "hf://org/model", "prefix": "p"},
                   {"source": "oci://host/name:tag", "deletes": True}):
        answer = home.call("POST", "mirrors", {"directory": "copy", **wanted})
        same(answer.status, 400, f"{wanted}: {answer}")
    same(home.call("GET", "mirrors").body["mirrors"], [], "mirrors")


@cases("what names no file is refused")
def refused(home):
    for url in ("hf://org/model", "oci://host/name:tag", "s3://key:geheim@bucket/file"):
        answer = home.call("POST", "downloads", {"downloads": [{"url": url}]})
        text = json.dumps(answer.body)
        holds("error" in text and "geheim" not in text, f"{url}: {answer}")
        answer = rpc.post(home.daemon.port, rpc.request("aria2.addUri", [f"token:{SECRET}", [url]]))
        holds("error" in answer.body and "geheim" not in json.dumps(answer.body), f"{url}: {answer}")
    same(home.downloads(), [], "the downloads")


BIG = bytes(range(256)) * 65536  # 16 MiB


@contextlib.contextmanager
def listed(home, digest):
    tree = Tree(home.path / "tree")
    tree.write("disk.iso", BIG)
    tree.write("SHA256SUMS", f"{digest}  disk.iso\n".encode())
    try:
        yield tree
    finally:
        tree.stop()


@cases("a file is compared with the digest that its publisher lists", "--require-proof", "digest")
def proof(home):
    with listed(home, hashlib.sha256(BIG).hexdigest()) as tree:
        home.call("POST", "downloads", {"downloads": [{"url": tree.url("disk.iso")}]})
        found = home.until_ended(1)
        holds("SHA256SUMS" in json.dumps(found), f"{found}")


@cases("a file that contradicts the list fails", "--require-proof", "digest")
def contradiction(home):
    with listed(home, "0" * 64) as tree:
        rpc.post(home.daemon.port, rpc.request("aria2.addUri", [f"token:{SECRET}", [tree.url("disk.iso")]]))
        home.until_ended(1, "failed")
        holds(not (home.daemon.directory / "disk.iso").exists(), "the file has its name")


@cases("a daemon started with --no-proof asks for no list", "--no-proof")
def without(home):
    with listed(home, "0" * 64) as tree:
        home.call("POST", "downloads", {"downloads": [{"url": tree.url("disk.iso")}]})
        home.until_ended(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segdl", type=pathlib.Path, required=True, help="the command")
    asked = parser.parse_args()
    results = []
    for case in cases:
        with scratch() as path:
            home = Home(asked.segdl.resolve(), path, *case.options)
            results.append(outcome.run(case, home))
            home.stop()
    sys.exit(outcome.report("locations", results))


if __name__ == "__main__":
    main()
