"""Calls by aria2's JSON-RPC: one request, its answer, nothing hidden."""

import base64
import dataclasses
import http.client
import json
import urllib.parse

from daemons import IS_SANITIZED

# Seconds: the longest wait for an answer. A sanitizer makes texts of megabytes slow.
ANSWER = 240 if IS_SANITIZED else 120


@dataclasses.dataclass
class Answer:
    """`status` is that of HTTP, and `body` the JSON, or bytes if it is not JSON."""

    status: int
    body: object
    headers: dict

    @property
    def result(self):
        if not isinstance(self.body, dict) or "result" not in self.body:
            raise Failure(self)
        return self.body["result"]

    @property
    def error(self):
        if not isinstance(self.body, dict) or "error" not in self.body:
            raise Failure(self)
        return self.body["error"]

    @property
    def code(self):
        return self.error["code"]

    @property
    def message(self):
        return self.error["message"]


class Failure(Exception):
    def __init__(self, answer):
        super().__init__(f"came {answer.status} {str(answer.body)[:300]}")
        self.answer = answer


def exchange(port, method, path, body=None, headers=None, timeout=ANSWER):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        text = answer.read()
        try:
            value = json.loads(text)
        except ValueError:
            value = text
        return Answer(answer.status, value, {name.lower(): value for name, value in answer.getheaders()})
    finally:
        connection.close()


def post(port, value, headers=None, timeout=ANSWER):
    """Posts JSON, or bytes as they are."""
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return exchange(port, "POST", "/jsonrpc", body, headers, timeout)


def get(port, method=None, params=None, identity="1", **more):
    query = {"method": method, "id": identity, **more}
    if params is not None:
        query["params"] = base64.b64encode(json.dumps(params).encode()).decode()
    text = urllib.parse.urlencode({name: value for name, value in query.items() if value is not None})
    return exchange(port, "GET", f"/jsonrpc?{text}")


def request(method, params, identity="1"):
    return {"jsonrpc": "2.0", "id": identity, "method": method, "params": params}


class Caller:
    """Calls on one connection that stays open."""

    def __init__(self, port, secret, timeout=60):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
        self.token = f"token:{secret}"

    def answer(self, method, *params):
        body = json.dumps(request(method, [self.token, *params]))
        self.connection.request("POST", "/jsonrpc", body, {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        return Answer(answer.status, json.loads(answer.read()), dict(answer.getheaders()))

    def __call__(self, method, *params):
        return self.answer(f"aria2.{method}", *params).result

    def close(self):
        self.connection.close()
