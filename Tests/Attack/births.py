"""Databases that are made, or brought up to date, for kill-birth."""

import contextlib
import hashlib
import os
import pathlib
import shutil
import sqlite3

FIXTURES = pathlib.Path(__file__).resolve().parents[1] / "SegmentedDLDatabaseTests" / "Fixtures"


class NewQueue:
    rows = ()

    def __init__(self, r):
        self.r, self.place = r, r.home / "birth"
        self.queue = self.place / "queue.sqlite"
        self.urls = ["http://127.0.0.1:9/a", "http://127.0.0.1:9/b"]
        self.command = ["queue", "add", "--queue", self.queue, "--paused", "-d", self.place, *self.urls]

    def prepare(self):
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir()

    def look(self, moment):
        r = self.r
        done = r.run(*self.command)
        if r.spoils("opens"):
            done.returncode = 5
        r.check("opens", done.returncode == 0, f"{moment}: {done.returncode}, {done.stderr.strip()[-300:]}")
        listed = r.run("queue", "list", "--queue", self.queue, "--json").stdout
        if r.spoils("rows"):
            listed = ""
        for url in [*self.rows, *self.urls]:
            count = listed.count(f'"source":"{url}"'.replace("/", "\\/")) + listed.count(f'"source":"{url}"')
            if not r.check("rows", count == 1, f"{moment}: {url} is there {count} times"):
                break


class EarlierQueue(NewQueue):
    rows = ("http://127.0.0.1:9/first.bin", "http://127.0.0.1:9/second.bin")

    def prepare(self):
        super().prepare()
        shutil.copy(FIXTURES / "queue-0.1.0.sqlite", self.queue)


class NewMirror:
    names = ("1.txt", "2.txt", "3.txt", "new.txt")
    known = ()

    def __init__(self, r):
        self.r, self.place, self.server = r, r.home / "birth", r.server()
        for name in self.names:
            self.server.add(name, 7)
        self.command = ["mirror", "--progress", "none", self.server.url(), self.place]

    def prepare(self):
        shutil.rmtree(self.place, ignore_errors=True)

    def look(self, moment):
        r, before = self.r, len(self.server.log)
        done = r.run(*self.command)
        if r.spoils("opens"):
            done.returncode = 5
        r.check("opens", done.returncode == 0, f"{moment}: {done.returncode}, {done.stderr.strip()[-300:]}")
        for name in self.names:
            r.check_file(self.place / name, self.server.bodies(name))
        fetched = {name for name, status in self.server.log[before:] if status in (200, 206)}
        if self.known and r.spoils("again"):
            fetched |= set(self.known)
        r.check("again", not fetched & set(self.known), f"{moment}: {fetched & set(self.known)} fetched again")


class EarlierMirror(NewMirror):
    """The state of 0.1.0, as if it were of files that are there, from this server."""

    known = ("1.txt", "2.txt", "3.txt")

    def prepare(self):
        super().prepare()
        self.place.mkdir()
        store = self.place / ".segdl-mirror.sqlite"
        shutil.copy(FIXTURES / "mirror-0.1.0.sqlite", store)
        with contextlib.closing(sqlite3.connect(store)) as database, database:
            for name in self.known:
                self.adopt(database, name)
            self.age(database)

    def adopt(self, database, name):
        version, path = self.server.now(name), self.place / name
        path.write_bytes(version.body)
        os.utime(path, ns=(1577836800 * 10**9, 1577836800 * 10**9))
        there = path.stat()
        database.execute(
            "UPDATE file SET url = ?, size = ?, sha256 = ?, etag = ?, lastModified = ?, inode = ?, modified = ?"
            " WHERE path = ?",
            [
                self.server.url(name), there.st_size, hashlib.sha256(version.body).hexdigest(), version.etag,
                version.date, there.st_ino, there.st_mtime_ns, name,
            ],
        )  # fmt: skip

    def age(self, database):
        pass


class OldestMirror(EarlierMirror):
    """The same with the tables of the first version."""

    def age(self, database):
        database.execute("DELETE FROM grdb_migrations WHERE identifier <> '1'")
        database.execute("ALTER TABLE proof DROP COLUMN run")
        database.execute("ALTER TABLE proof DROP COLUMN files")


BIRTHS = {
    "a new queue": NewQueue,
    "a queue of 0.1.0": EarlierQueue,
    "a new mirror": NewMirror,
    "a mirror of 0.1.0": EarlierMirror,
    "a mirror of the first version": OldestMirror,
}
