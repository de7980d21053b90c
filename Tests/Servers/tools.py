"""A tool that downloads: it fetches a file, goes on with one, fetches a list. segdl also mirrors."""

import dataclasses
import json
import os
import subprocess

from server import Access, DidNotStart, ends

LIMIT = 180  # seconds, for one run of a tool


@dataclasses.dataclass(frozen=True)
class Run:
    status: int
    message: str
    received: int | None = None  # bytes of bodies
    fetched: int | None = None  # files of a mirror
    is_apart: bool = False  # the tool keeps unfinished bytes apart from the final name

    @property
    def is_final(self):
        """True if bytes under a final name have to be right."""
        return self.status == 0 or self.is_apart


class Tool:
    name = ""
    running = set()

    def __init__(self, program, home):
        self.program, self.home = program, home
        kept = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
        self.environment = {**kept, "HOME": str(home)}

    def fetch_words(self, url, place, access, rate):
        raise NotImplementedError

    def list_words(self, urls, directory, access):
        raise NotImplementedError

    def offers(self, mode):
        return True

    def fetch(self, url, place, access=Access()):  # noqa: B008 it cannot be changed
        return self.finish(self.begin(url, place, access))

    def list(self, urls, directory, access):
        return self.finish(self.spawn(self.list_words(urls, directory, access), directory))

    def begin(self, url, place, access=Access(), rate=None):  # noqa: B008 it cannot be changed
        return self.spawn(self.fetch_words(url, place, access, rate), place.parent)

    def spawn(self, words, directory):
        if ends.is_set():
            raise DidNotStart("the run ends")
        # Outside of the directory, so that whatever is in it comes from the tool.
        self.out, self.err = directory.parent / "stdout", directory.parent / "stderr"
        with open(self.out, "wb") as out, open(self.err, "wb") as err:
            process = subprocess.Popen(
                [str(word) for word in (self.program, *words)],
                cwd=directory,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=self.environment,
            )
        self.running.add(process)
        return process

    def finish(self, process):
        try:
            status = process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.kill(process)
            return Run(-1, f"no end in {LIMIT} s")
        self.running.discard(process)
        return self.result(status)

    def kill(self, process):
        process.kill()
        process.wait()
        self.running.discard(process)

    @classmethod
    def kill_all(cls):
        for process in list(cls.running):
            process.kill()

    def result(self, status):
        lines = self.err.read_text(errors="replace").strip().splitlines()
        return Run(status, lines[-1].strip() if lines else "")

    def arrived(self, place):
        """Bytes of an unfinished file that are on the disk."""
        return place.stat().st_blocks * 512 if place.exists() else 0


def listed(urls, directory):
    file = directory.parent / "urls"
    file.write_text("".join(f"{url}\n" for url in urls))
    return file


class Segdl(Tool):
    name = "segdl"

    def __init__(self, program, home):
        super().__init__(program, home)
        self.help = subprocess.run([program, "fetch", "--help"], capture_output=True, text=True, check=True).stdout

    def words(self, access):
        words = ["--progress", "json"]
        if access.cacert:
            words += ["--cacert", access.cacert]
        if access.user:
            words += ["--user", access.user]
        if access.scheme != "basic":
            words.append(self.scheme(access))
        if access.proxy:
            words += ["--proxy", access.proxy]
        return words

    def scheme(self, access):
        names = ["--proxy-digest", "--proxy-anyauth", "--anyauth"] if access.proxy else ["--digest", "--anyauth"]
        return next((name for name in names if f"{name} " in self.help or f"{name}\n" in self.help), None)

    def offers(self, mode):
        return mode != "digest" or self.scheme(Access(scheme="digest")) is not None

    def fetch_words(self, url, place, access, rate):
        limit = ["--limit-rate", str(rate)] if rate else []
        return ["fetch", "-s", "4", "-o", place.name, *limit, *self.words(access), url]

    def list_words(self, urls, directory, access):
        return ["fetch", "-i", listed(urls, directory), "-d", directory, *self.words(access)]

    def mirror(self, url, directory, *words, access=Access()):  # noqa: B008 it cannot be changed
        return self.finish(self.spawn(["mirror", *words, *self.words(access), url, directory], directory.parent))

    def events(self):
        events = []
        for line in self.out.read_text(errors="replace").splitlines():
            try:
                events.append(json.loads(line))
            except ValueError:
                break  # the line that a kill cut off
        return events

    def result(self, status):
        message, received, fetched = "", None, None
        for event in self.events():
            if event["event"] == "failed":
                message = message or event["message"]
            elif event["event"] in ("completed", "summary"):
                received = event.get("bytes_received", received)
                fetched = event.get("fetched", fetched)
        return Run(status, message or super().result(status).message, received, fetched, is_apart=True)

    def arrived(self, place):
        return max((event["bytes"] for event in self.events() if event["event"] == "progress"), default=0)
