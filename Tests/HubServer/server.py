"""A replica of a hub of models for tests: its API, its redirects to signed URLs of another host, and its refusals.

    server.py CONFIG.json

CONFIG: repositories, an object of "models/org/name" and {commit, revisions (names of branches and tags), files, an
object of paths and {text, or seed and size; sent, which is sent instead of the text}, gated}; token (which gated
repositories want; another one is refused everywhere); page (entries of a page of a tree); large (the size from which
a file is in the store); expiry (seconds, or a number of requests of the store with expireAfter); quota (requests of
the API in a window), window (seconds); silent (every n-th answer of the store stops in the middle without a word);
silentAnswers (the numbers of further ones, from 1); missingAnswers (the numbers of the store's answers with 404);
modelscope (true for a hub with the API of ModelScope, as its own client asks for it, in the place of that of the
Hugging Face Hub); buffer (bytes of a socket's buffer for sending); roundTrip
(seconds that a new connection and each answer wait); rate (bytes per second of each connection).
The hub is on 127.0.0.1 and the store on another port, which is another origin. It prints the port of the hub, writes a
line of JSON for each request to CONFIG.json.log, and ends with its standard input; CONFIG.json.sent has the bytes of
files that it wrote then.
"""

import hashlib
import hmac
import json
import os
import pathlib
import secrets
import socket
import sys
import threading
import time
from urllib.parse import parse_qs, quote, unquote, urlsplit

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from FileServer import FileHandler, FileServer  # noqa: E402

from content import content  # noqa: E402

KEY = secrets.token_bytes(16)


class File:
    def __init__(self, file, large):
        self.bytes = content(file)
        self.blob = hashlib.sha1(b"blob %d\0" % len(self.bytes) + self.bytes).hexdigest()
        self.is_large = len(self.bytes) >= large
        self.sha256 = hashlib.sha256(self.bytes).hexdigest()
        self.sent = file["sent"].encode() if "sent" in file else self.bytes

    def entry(self, path):
        entry = {"type": "file", "oid": self.blob, "size": len(self.bytes), "path": path}
        if self.is_large:
            entry["lfs"] = {"oid": self.sha256, "size": len(self.bytes), "pointerSize": 134}
        return entry


class Hub:
    def __init__(self, config, log):
        self.config, self.log = config, log
        self.lock = threading.Lock()
        self.store_answers = 0
        self.sent = 0
        self.window, self.used = float("-inf"), 0
        self.repositories = {}
        for name, repository in config["repositories"].items():
            files = {
                path: File(file, config.get("large", 1 << 62)) for path, file in sorted(repository["files"].items())
            }
            self.repositories[name] = (repository, files)

    def note(self, **record):
        with self.lock:
            self.log.write(json.dumps(record) + "\n")
            self.log.flush()

    def signature(self, path, until):
        return hmac.new(KEY, f"{path} {until}".encode(), "sha256").hexdigest()

    def quota(self):
        """Counts a request of the API: the fields that tell of it, and True if it is one too many."""
        allowed = self.config.get("quota")
        if allowed is None:
            return {}, False
        span = self.config.get("window", 300)
        with self.lock:
            now = time.monotonic()
            if now >= self.window + span:
                self.window, self.used = now, 0
            self.used += 1
            rest, reset = max(0, allowed - self.used), int(self.window + span - now) + 1
            fields = {
                "RateLimit": f'"api";r={rest};t={reset}',
                "RateLimit-Policy": f'"fixed window";"api";q={allowed};w={span}',
            }
            return fields, self.used > allowed


class Handler(FileHandler):
    def setup(self):
        if size := self.server.hub.config.get("buffer"):
            self.request.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, size)
        super().setup()
        time.sleep(self.server.hub.config.get("roundTrip", 0))

    def do_GET(self):
        time.sleep(self.server.hub.config.get("roundTrip", 0))
        url = urlsplit(self.path)
        self.query = parse_qs(url.query)
        self.segments = [unquote(part) for part in url.path.split("/") if part]
        self.is_file = False
        self.answer(url.path)

    def send(self, status, body=b"", fields=None, kind="application/json"):
        self.send_answer(status, body, {"Content-Type": kind, **(fields or {})})

    def send_file(self, file, fields):
        self.is_file = True
        self.send_content(file.sent, {"Content-Type": "application/octet-stream", **fields})

    def send_answer(self, status, body=b"", fields=None):
        hub = self.server.hub
        stop = self.silence_after(body) if self.is_file else None
        # Before the answer: who has it may read the log at once.
        hub.note(
            host=self.server.role, method=self.command, target=self.path, status=status,
            authorization=self.headers.get("authorization"), range=self.headers.get("range"), silent=stop is not None,
            at=time.monotonic(),
        )
        self.send_head(status, len(body), fields)
        if self.command == "HEAD":
            return
        self.send_body(body[:stop])
        if stop is not None:
            self.wfile.flush()
            hub.silence.wait()

    def send_body(self, body):
        rate, began = self.server.hub.config.get("rate"), time.monotonic()
        for start in range(0, len(body), self.piece):
            piece = body[start : start + self.piece]
            self.wfile.write(piece)
            if rate:
                time.sleep(max(0, began + (start + len(piece)) / rate - time.monotonic()))
            if self.is_file:
                with self.server.hub.lock:
                    self.server.hub.sent += len(piece)

    def error(self, status, code, message, fields=None):
        fields = {"X-Error-Code": code, "X-Error-Message": message, **(fields or {})}
        self.send(status, json.dumps({"error": message}).encode(), fields)


class HubHandler(Handler):
    def silence_after(self, body):
        return None

    def answer(self, path):
        hub, segments = self.server.hub, self.segments
        if hub.config.get("modelscope"):
            return self.answer_modelscope(segments)
        kinds = ("models", "datasets", "spaces")
        if len(segments) >= 5 and segments[0] == "api" and segments[1] in kinds:
            kind, name, action, rest = segments[1], "/".join(segments[2:4]), segments[4], segments[5:]
        elif len(segments) >= 5 and segments[0] in kinds:
            kind, name, action, rest = segments[0], "/".join(segments[1:3]), segments[3], segments[4:]
        elif len(segments) >= 4:
            kind, name, action, rest = "models", "/".join(segments[:2]), segments[2], segments[3:]
        else:
            return self.error(404, "RepoNotFound", "Repository not found")
        fields, is_over = hub.quota()
        if is_over:
            return self.error(429, "RateLimit", "We had to rate limit you", fields)
        given = self.headers.get("authorization")
        token = hub.config.get("token")
        if given is not None and given != f"Bearer {token}":
            return self.error(401, "", "Invalid credentials in Authorization header", fields)
        repository, files = hub.repositories.get(f"{kind}/{name}", (None, {}))
        if repository is None:
            if given is None:
                return self.error(401, "RepoNotFound", "Invalid username or password.", fields)
            return self.error(404, "RepoNotFound", "Repository not found", fields)
        revision = rest[0] if rest else ""
        if revision != repository["commit"] and revision not in repository.get("revisions", ["main"]):
            return self.error(404, "RevisionNotFound", f"Invalid rev id: {revision}", fields)
        commit, inner = repository["commit"], "/".join(rest[1:])
        if action == "revision":
            siblings = [{"rfilename": path} for path in files]
            body = {"id": name, "modelId": name, "sha": commit, "private": False, "siblings": siblings, "tags": []}
            body |= {"downloads": 0, "likes": 0}
            return self.send(200, json.dumps(body).encode(), fields)
        # A gated repository lists its files to all, and gives them to few.
        if action == "tree":
            return self.tree(path, files, inner, fields)
        if action != "resolve":
            return self.error(404, "", "Not found", fields)
        if repository.get("gated") and given is None:
            text = f"Access to {kind[:-1]} {name} is restricted. You must have access to it and be authenticated."
            return self.error(401, "GatedRepo", text, fields)
        if repository.get("gated") == "pending":
            text = f"Access to {kind[:-1]} {name} is restricted and you are not in the authorized list."
            return self.error(403, "GatedRepo", text, fields)
        file = files.get(inner)
        if file is None:
            return self.error(404, "EntryNotFound", "Entry not found", fields)
        fields["X-Repo-Commit"] = commit
        if not file.is_large:
            return self.send_file(file, {"ETag": f'"{file.blob}"', **fields})
        until = time.time() + hub.config.get("expiry", 3600)
        place = f"/{file.sha256}"
        signed = f"{hub.store}{place}?Expires={until}&Signature={hub.signature(place, until)}"
        fields |= {"X-Linked-Size": str(len(file.bytes)), "X-Linked-Etag": f'"{file.sha256}"', "Location": signed}
        return self.send(302, b"Found. Redirecting.", fields, "text/plain")

    def answer_modelscope(self, segments):
        """Answers `api/v1/KIND/OWNER/NAME/repo/files`, `…/repo?FilePath=` and `KIND/OWNER/NAME/resolve/REVISION/…`."""
        hub = self.server.hub
        rest = segments[2:] if segments[:2] == ["api", "v1"] else segments
        kind, name = rest[0] if rest else "", "/".join(rest[1:3])
        token = hub.config.get("token")
        is_known = self.headers.get("authorization") == f"Bearer {token}" or (
            self.headers.get("cookie") == f"m_session_id={token}")
        repository, files = hub.repositories.get(f"{kind}/{name}", (None, {}))
        if repository is None or repository.get("gated") and not is_known:
            return self.refuse(404, 10010205001, f"{kind} {name} not found")
        asked = rest[3:]
        if asked[:1] == ["resolve"] and len(asked) > 2:
            revision, inner = asked[1], "/".join(asked[2:])
        else:
            revision, inner = self.query.get("Revision", [""])[0], self.query.get("FilePath", [""])[0]
        if revision not in repository.get("revisions", ["master"]):
            return self.refuse(404, 10010202003, f"the revision {revision} does not exist")
        if asked in (["repo", "files"], ["repo", "tree"]):
            return self.list_modelscope(kind, files, revision)
        file = files.get(inner)
        if file is None or asked != ["repo"] and asked[:1] != ["resolve"]:
            return self.refuse(404, 10010208001, f"the file {inner} does not exist")
        if not file.is_large:
            return self.send_file(file, {})
        until = time.time() + hub.config.get("expiry", 3600)
        place = f"/{file.sha256}"
        signed = f"{hub.store}{place}?Expires={until}&Signature={hub.signature(place, until)}"
        return self.send(302, b"", {"Location": signed}, "text/plain")

    def refuse(self, status, code, message):
        self.send(status, json.dumps({"Code": code, "Message": message, "Success": False}).encode())

    def list_modelscope(self, kind, files, revision):
        directories = sorted({path.rsplit("/", 1)[0] for path in files if "/" in path})
        entries = [{"Name": path.rsplit("/", 1)[-1], "Path": path, "Type": "tree", "Size": 0, "Sha256": "",
                    "Revision": revision, "IsLFS": False, "Mode": "16384"} for path in directories]
        entries += [{"Name": path.rsplit("/", 1)[-1], "Path": path, "Type": "blob", "Size": len(file.bytes),
                     "Sha256": file.sha256, "Revision": revision, "IsLFS": file.is_large, "Mode": "33188"}
                    for path, file in files.items()]
        if kind == "datasets":
            size, page = int(self.query.get("PageSize", ["100"])[0]), int(self.query.get("PageNumber", ["1"])[0])
            entries = entries[size * (page - 1) : size * page]
        body = {"Code": 200, "Data": {"Files": entries}, "Message": "success", "Success": True}
        self.send(200, json.dumps(body).encode())

    def tree(self, path, files, inner, fields):
        wanted = [(name, file) for name, file in files.items() if not inner or name.startswith(inner + "/")]
        if not wanted:
            return self.error(404, "EntryNotFound", "Entry not found", fields)
        directories = sorted({name.rsplit("/", 1)[0] for name, _ in wanted if "/" in name})
        entries = [{"type": "directory", "oid": "0" * 40, "size": 0, "path": name} for name in directories]
        entries += [file.entry(name) for name, file in wanted]
        size = self.server.hub.config.get("page", 1000)
        start = int(self.query.get("cursor", ["0"])[0])
        if start + size < len(entries):
            link = f"{self.server.hub.base}{quote(path)}?recursive=true&cursor={start + size}"
            fields = {**fields, "Link": f'<{link}>; rel="next"'}
        return self.send(200, json.dumps(entries[start : start + size]).encode(), fields)


class StoreHandler(Handler):
    def answer(self, path):
        hub = self.server.hub
        until = self.query.get("Expires", ["0"])[0]
        given = self.query.get("Signature", [""])[0]
        with hub.lock:
            hub.store_answers += 1
            self.number = hub.store_answers
        if self.number in hub.config.get("missingAnswers", []):
            return self.send(404)
        after = hub.config.get("expireAfter")
        is_late = float(until) < time.time() or (after and self.number % after == 0)
        if is_late or not hmac.compare_digest(given, hub.signature(path, until)):
            text = b"<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>"
            return self.send(403, text, kind="application/xml")
        # A stored object has no name but its digest.
        for _, files in hub.repositories.values():
            for file in files.values():
                if file.sha256 == self.segments[0]:
                    return self.send_file(file, {"ETag": f'"store-{file.sha256[:16]}"'})
        return self.send(404)

    def silence_after(self, body):
        """Returns how many bytes of a file's answer are sent before silence; None for all."""
        config = self.server.hub.config
        nth = config.get("silent")
        is_silent = nth and self.number % nth == 0 or self.number in config.get("silentAnswers", [])
        return len(body) // 2 if is_silent else None


class Server(FileServer):
    def __init__(self, handler, hub, role):
        self.hub, self.role = hub, role
        super().__init__(handler)
        self.base = f"http://127.0.0.1:{self.port}"


def main():
    with open(sys.argv[1]) as file:
        config = json.load(file)
    with open(sys.argv[1] + ".log", "w") as log:
        hub = Hub(config, log)
        hub.silence = threading.Event()
        hub.store = Server(StoreHandler, hub, "store").base
        hub.base = Server(HubHandler, hub, "hub").base
        print(f"port {hub.base.rsplit(':', 1)[1]}", flush=True)
        sys.stdin.read()
        pathlib.Path(sys.argv[1] + ".sent").write_text(str(hub.sent))
        os._exit(0)


main()
