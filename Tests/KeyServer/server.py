"""The services that give access keys, for tests: the security token service, that of containers, and the metadata
service of virtual machines.

    server.py CONFIG.json

CONFIG: key, secret, token (what they give); seconds (their validity); user, a key that may assume the role, and
userSecret; role (its ARN), externalID; identity (the token of a web identity); containerToken; machineRole, if the
machine has one; region.
They are on one port of 127.0.0.1, and told apart by their paths. It prints the port, writes a line of JSON for each
request to CONFIG.json.log, and ends with its standard input. The signature of AssumeRole is computed again with
botocore.
"""

import json
import os
import pathlib
import sys
import threading
import time
from urllib.parse import parse_qs, urlsplit

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from FileServer import FileHandler, FileServer  # noqa: E402

ROLES = "/latest/meta-data/iam/security-credentials/"
TOKEN = "a-token-of-the-machine"


def ending(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))


class Handler(FileHandler):
    def body(self):
        return self.rfile.read(int(self.headers.get("content-length", 0))).decode()

    def do_POST(self):
        self.form = parse_qs(self.body())
        self.do_GET()

    def do_PUT(self):
        self.body()
        self.do_GET()

    def send_answer(self, status, body=b"", fields=None):
        with self.server.lock:
            record = {"method": self.command, "target": self.path, "status": status}
            self.server.log.write(json.dumps(record) + "\n")
            self.server.log.flush()
        super().send_answer(status, body, fields)

    def answer(self, path):
        config = self.server.config
        if path == "/container":
            is_right = self.headers.get("authorization") == config.get("containerToken")
            return self.keys() if is_right else self.send_answer(401, b"no such container")
        if path == "/latest/api/token":
            seconds = int(self.headers.get("x-aws-ec2-metadata-token-ttl-seconds", 0))
            is_right = self.command == "PUT" and 0 < seconds <= 21600
            return self.send_answer(*((200, TOKEN.encode()) if is_right else (400,)))
        if path.startswith(ROLES):
            role = config.get("machineRole")
            if self.headers.get("x-aws-ec2-metadata-token") != TOKEN:
                return self.send_answer(401)
            if role is None:
                return self.send_answer(404)
            return self.send_answer(200, f"{role}\n".encode()) if path == ROLES else self.keys()
        if path != "/":
            return self.send_answer(404)
        asked = parse_qs(urlsplit(self.path).query) if self.command == "GET" else self.form
        action = asked.get("Action", [""])[0]
        if asked.get("Version") != ["2011-06-15"] or asked.get("RoleArn") != [config["role"]]:
            return self.refuse("ValidationError", f"unexpected {asked}")
        if action == "AssumeRoleWithWebIdentity":
            if asked.get("WebIdentityToken") != [config.get("identity")]:
                return self.refuse("InvalidIdentityToken", "No such identity")
        elif action != "AssumeRole" or asked.get("ExternalId", [None]) != [config.get("externalID")]:
            return self.refuse("AccessDenied", "User is not authorized to perform sts:AssumeRole")
        elif not self.is_signed():
            return self.refuse("SignatureDoesNotMatch", "The signature does not match")
        return self.role(action)

    def is_signed(self):
        config, field = self.server.config, self.headers.get("authorization", "")
        fields = dict(part.strip().split("=", 1) for part in field.partition(" ")[2].split(",") if "=" in part)
        if not fields.get("Credential", "").startswith(config["user"] + "/"):
            return False
        auth = SigV4Auth(Credentials(config["user"], config["userSecret"]), "sts", config["region"])
        request = AWSRequest(method="GET", url=f"http://{self.headers['host']}{self.path}")
        for name in fields["SignedHeaders"].split(";"):
            request.headers[name] = self.headers[name]
        request.context["timestamp"] = self.headers["x-amz-date"]
        signed = auth.string_to_sign(request, auth.canonical_request(request))
        return auth.signature(signed, request) == fields["Signature"]

    def refuse(self, code, message):
        text = f"<ErrorResponse><Error><Code>{code}</Code><Message>{message}</Message></Error></ErrorResponse>"
        return self.send_answer(403, text.encode(), {"Content-Type": "text/xml"})

    def role(self, action):
        config = self.server.config
        text = (
            f"<{action}Response><{action}Result><Credentials><AccessKeyId>{config['key']}</AccessKeyId>"
            f"<SecretAccessKey>{config['secret']}</SecretAccessKey><SessionToken>{config['token']}</SessionToken>"
            f"<Expiration>{ending(config['seconds'])}</Expiration></Credentials></{action}Result></{action}Response>"
        )
        return self.send_answer(200, text.encode(), {"Content-Type": "text/xml"})

    def keys(self):
        config = self.server.config
        answer = {
            "Code": "Success", "Type": "AWS-HMAC", "AccessKeyId": config["key"], "SecretAccessKey": config["secret"],
            "Token": config["token"], "Expiration": ending(config["seconds"]),
        }
        return self.send_answer(200, json.dumps(answer).encode(), {"Content-Type": "application/json"})


class Server(FileServer):
    def __init__(self, config, log):
        self.config, self.log, self.lock = config, log, threading.Lock()
        super().__init__(Handler)


def main():
    with open(sys.argv[1]) as file:
        config = json.load(file)
    with open(sys.argv[1] + ".log", "w") as log:
        print(f"port {Server(config, log).port}", flush=True)
        sys.stdin.read()
        os._exit(0)


main()
