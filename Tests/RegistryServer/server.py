"""A registry of images for tests: the real one of Debian (docker-registry), or a replica with a token service and a
store that it redirects to.

    server.py CONFIG.json

CONFIG: size (bytes of the first layer), login ("user:password" for a private repository), identityToken, tokenUses
(the requests after which a token has expired), docker (true for Docker's media types), referrers (true if there are
any), comment (true for an index that is no UTF-8), single (true for the last manifest without an index),
redirectTokens (true for a token service that redirects to the store), real (true for docker-registry, with the same
image and no login).
The image is org/app, with the tags v1 and latest. The replica writes a line of JSON for each request to
CONFIG.json.log. It prints the port of the registry and the digest of the image's index, and ends with its standard
input.
"""

import base64
import json
import os
import pathlib
import secrets
import socket
import subprocess
import sys
import threading
import time
from urllib.parse import parse_qs, urlsplit

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from FileServer import FileHandler, FileServer  # noqa: E402
from image import DOCKER, INDEX, MANIFEST, Image  # noqa: E402

SERVICE = "registry, \"of\" tests"
SCOPE = "repository:org/app:pull"


class Registry:
    def __init__(self, config, log):
        self.config, self.log = config, log
        self.lock = threading.Lock()
        self.tokens = {}
        types = DOCKER if config.get("docker") else None
        self.image = Image(config.get("size", 100_000), 1, types, config.get("comment"), config.get("single"))

    def note(self, **record):
        with self.lock:
            self.log.write(json.dumps(record) + "\n")
            self.log.flush()

    def give(self):
        with self.lock:
            token = secrets.token_urlsafe(24)
            self.tokens[token] = self.config.get("tokenUses", 1 << 60)
            return token

    def accepts(self, field):
        scheme, _, token = (field or "").partition(" ")
        with self.lock:
            if scheme != "Bearer" or not self.tokens.get(token):
                return False
            self.tokens[token] -= 1
            return True


class Handler(FileHandler):
    def do_POST(self):
        self.form = parse_qs(self.rfile.read(int(self.headers.get("content-length", 0))).decode())
        self.do_GET()

    def send_answer(self, status, body=b"", fields=None):
        # Before the answer: who has it may read the log at once.
        self.server.registry.note(
            host=self.server.role, method=self.command, target=self.path, status=status,
            authorization=self.headers.get("authorization"), range=self.headers.get("range"),
        )
        super().send_answer(status, body, fields)

    def error(self, status, code, message, fields=None):
        body = json.dumps({"errors": [{"code": code, "message": message}]}).encode()
        self.send_answer(status, body, {"Content-Type": "application/json", **(fields or {})})


class RegistryHandler(Handler):
    def answer(self, path):
        registry, image = self.server.registry, self.server.registry.image
        if not registry.accepts(self.headers.get("authorization")):
            service = SERVICE.replace('"', '\\"')
            challenge = f'Bearer realm="{registry.tokens_url}",service="{service}",scope="{SCOPE}"'
            return self.error(401, "UNAUTHORIZED", "authentication required", {"WWW-Authenticate": challenge})
        parts = path.strip("/").split("/")
        if parts[:3] != ["v2", "org", "app"] or len(parts) != 5:
            return self.error(404, "NAME_UNKNOWN", "repository name not known to registry")
        kind, reference = parts[3:]
        if kind == "manifests":
            if reference in ("v1", "latest"):
                reference = image.whole["digest"]
            if reference not in image.manifests:
                return self.error(404, "MANIFEST_UNKNOWN", "manifest unknown")
            media, data = image.manifests[reference]
            if media not in self.headers.get("accept", ""):
                return self.error(404, "MANIFEST_UNKNOWN", f"the client does not accept {media}")
            return self.send_answer(200, data, {"Content-Type": media, "Docker-Content-Digest": reference})
        if kind == "blobs" and reference in image.blobs:
            return self.send_answer(307, b"", {"Location": f"{registry.store}{path}?signature=x"})
        if kind == "referrers" and registry.config.get("referrers"):
            line = {"mediaType": MANIFEST, "digest": reference, "size": 1, "artifactType": "application/signature"}
            body = json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": [line]}).encode()
            return self.send_answer(200, body, {"Content-Type": INDEX})
        return self.error(404, "BLOB_UNKNOWN", "blob unknown to registry")


class TokenHandler(Handler):
    def answer(self, path):
        registry = self.server.registry
        if registry.config.get("redirectTokens"):
            return self.send_answer(307, b"", {"Location": f"{registry.store}/token"})
        asked = self.form if self.command == "POST" else parse_qs(urlsplit(self.path).query)
        if asked.get("service") != [SERVICE] or asked.get("scope") != [SCOPE]:
            return self.error(400, "BAD", f"unexpected {asked}")
        login, token = registry.config.get("login"), registry.config.get("identityToken")
        if token:
            is_right = asked.get("grant_type") == ["refresh_token"] and asked.get("refresh_token") == [token]
        else:
            basic = login and "Basic " + base64.b64encode(login.encode()).decode()
            is_right = self.headers.get("authorization") == basic
        if not is_right:
            return self.error(401, "UNAUTHORIZED", "incorrect username or password")
        name = "access_token" if token else "token"
        return self.send_answer(200, json.dumps({name: registry.give()}).encode(), {"Content-Type": "application/json"})


class StoreHandler(Handler):
    def answer(self, path):
        if path == "/token":
            return self.send_answer(200, b"{}")
        # As S3 does, which has the signature in the URL.
        if self.headers.get("authorization"):
            return self.error(400, "InvalidArgument", "Only one auth mechanism allowed")
        media, data = self.server.registry.image.blobs[path.rsplit("/", 1)[1]]
        return self.send_content(data, {"Content-Type": "application/octet-stream", "ETag": f'"{len(data)}"'})


class Server(FileServer):
    def __init__(self, handler, registry, role):
        self.registry, self.role = registry, role
        super().__init__(handler)
        self.base = f"http://127.0.0.1:{self.port}"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def real(image, home):
    """Runs docker-registry with the image until the standard input ends, with its files in a directory."""
    os.mkdir(home)
    port = free_port()
    with open(f"{home}/config.yml", "w") as file:
        json.dump({
            "version": 0.1, "log": {"level": "error"}, "storage": {"filesystem": {"rootdirectory": f"{home}/data"}},
            "http": {"addr": f"127.0.0.1:{port}"},
        }, file)
    with open(f"{home}/log", "w") as log:
        # It ends with this process, however that ends.
        command = ["setpriv", "--pdeathsig", "TERM", "docker-registry", "serve", f"{home}/config.yml"]
        process = subprocess.Popen(command, stdout=log, stderr=log)
    while process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except OSError:
            time.sleep(0.02)
    image.write(f"{home}/image", "v1")
    for tag in ("v1", "latest"):
        subprocess.run(
            ["skopeo", "copy", "-q", "--all", "--insecure-policy", "--dest-tls-verify=false",
             f"oci:{home}/image:v1", f"docker://127.0.0.1:{port}/org/app:{tag}"],
            check=True,
        )
    print(f"port {port} {image.whole['digest']}", flush=True)
    sys.stdin.read()


def main():
    with open(sys.argv[1]) as file:
        config = json.load(file)
    if config.get("real"):
        return real(Image(config.get("size", 100_000)), sys.argv[1] + ".home")
    with open(sys.argv[1] + ".log", "w") as log:
        registry = Registry(config, log)
        registry.store = Server(StoreHandler, registry, "store").base
        registry.tokens_url = Server(TokenHandler, registry, "tokens").base + "/token"
        print(f"port {Server(RegistryHandler, registry, 'registry').port} {registry.image.whole['digest']}", flush=True)
        sys.stdin.read()
        os._exit(0)


main()
