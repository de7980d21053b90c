"""An S3 server for tests: moto, and in front of it a check of each request's signature, which moto does not make.

The signature is computed again with botocore, as a real store does: from the path and query decoded and encoded again
in the one canonical way, never from how they were written.

    server.py CONFIG.json

CONFIG: bucket; objects, a list of {key, and text or file}; key, secret, token, region; public (no signature needed);
clock (seconds that the server's clock is off); redirects, an object of paths and URLs. It prints the port, writes a
line of JSON for each request to CONFIG.json.log, and ends with its standard input.
"""

import hmac
import json
import os
import sys
import threading
import time
from calendar import timegm
from urllib.parse import quote, unquote_to_bytes
from wsgiref.handlers import format_date_time

from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from moto.s3.models import s3_backends
from moto.server import create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

SKEW = 15 * 60


class Refused(Exception):
    def __init__(self, status, code, message):
        super().__init__(message)
        self.status, self.code = status, code


class Signatures:
    def __init__(self, config):
        self.config = config
        self.credentials = Credentials(config["key"], config["secret"], config.get("token"))

    def check(self, target, headers):
        """Raises Refused unless the request may pass."""
        authorization = headers.get("authorization")
        if authorization is None:
            if not self.config.get("public"):
                raise Refused("403 Forbidden", "AccessDenied", "Access Denied")
            return
        kind, _, rest = authorization.partition(" ")
        if kind != "AWS4-HMAC-SHA256":
            raise Refused("400 Bad Request", "InvalidRequest", "unknown authorization")
        fields = dict(part.strip().split("=", 1) for part in rest.split(","))
        key, date, region, service, end = fields["Credential"].split("/")
        if key != self.config["key"]:
            raise Refused("403 Forbidden", "InvalidAccessKeyId", "no such key")
        if region != self.config["region"] or service != "s3" or end != "aws4_request":
            raise Refused("400 Bad Request", "AuthorizationHeaderMalformed", "wrong region")
        if headers.get("x-amz-security-token") != self.config.get("token"):
            raise Refused("403 Forbidden", "InvalidToken", "wrong token")
        stamp = headers["x-amz-date"]
        seconds = timegm(time.strptime(stamp, "%Y%m%dT%H%M%SZ"))
        if not stamp.startswith(date) or abs(seconds - self.now()) > SKEW:
            raise Refused("403 Forbidden", "RequestTimeTooSkewed", "look at your clock")
        signed = fields["SignedHeaders"].split(";")
        if signed != sorted(signed) or "host" not in signed or "accept-encoding" in signed:
            raise Refused("403 Forbidden", "SignatureDoesNotMatch", "wrong set of headers")
        for name in headers:
            if name.startswith("x-amz-") and name not in signed:
                raise Refused("403 Forbidden", "AccessDenied", f"{name} is not signed")
        if not hmac.compare_digest(self.signature(target, headers, signed, stamp, region), fields["Signature"]):
            raise Refused("403 Forbidden", "SignatureDoesNotMatch", "wrong signature")

    def signature(self, target, headers, signed, stamp, region):
        path, _, query = target.partition("?")
        pairs = []
        for field in query.split("&") if query else []:
            name, _, value = field.partition("=")
            pairs.append(tuple(quote(unquote_to_bytes(text), safe="-_.~") for text in (name, value)))
        url = "http://" + headers["host"] + quote(unquote_to_bytes(path), safe="/-_.~")
        if pairs:
            url += "?" + "&".join(f"{name}={value}" for name, value in sorted(pairs))
        request = AWSRequest(method="GET", url=url)
        for name in signed:
            request.headers[name] = headers[name]
        request.context["timestamp"] = stamp
        auth = S3SigV4Auth(self.credentials, "s3", region)
        canonical = auth.canonical_request(request)
        return auth.signature(auth.string_to_sign(request, canonical), request)

    def now(self):
        return time.time() + self.config.get("clock", 0)


class Front:
    def __init__(self, config, log):
        self.config, self.log = config, log
        self.signatures = Signatures(config)
        self.store = create_backend_app("s3")
        self.lock = threading.Lock()

    def __call__(self, environ, start_response):
        target = environ["RAW_URI"]
        headers = {
            name[5:].lower().replace("_", "-"): value for name, value in environ.items() if name.startswith("HTTP_")
        }
        note = {
            "target": target,
            "range": headers.get("range"),
            "signed": "authorization" in headers,
            "token": headers.get("x-amz-security-token"),
        }

        def start(status, fields, exc_info=None):
            note["status"] = int(status.split()[0])
            with self.lock:
                self.log.write(json.dumps(note) + "\n")
                self.log.flush()
            return start_response(status, fields, exc_info)

        try:
            self.signatures.check(target, headers)
        except Refused as refused:
            body = f"<Error><Code>{refused.code}</Code><Message>{refused}</Message></Error>"
            note["code"] = refused.code
            return self.answer(start, refused.status, [("Content-Type", "application/xml")], body)
        location = self.config.get("redirects", {}).get(target.partition("?")[0])
        if location:
            return self.answer(start, "307 Temporary Redirect", [("Location", location)], "")
        # Who may read what has been decided here; moto would look for access control lists.
        environ.setdefault(
            "HTTP_AUTHORIZATION", "AWS4-HMAC-SHA256 Credential=a/20260101/r/s3/aws4_request, Signature=0")
        return self.store(environ, start)

    def answer(self, start, status, fields, body):
        date = format_date_time(self.signatures.now())
        start(status, fields + [("Date", date), ("Content-Length", str(len(body)))])
        return [body.encode()]


class Handler(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, *_):
        pass

    def send_header(self, keyword, value):
        # The server's own date comes first; the application's is the one that counts.
        if keyword.lower() == "date":
            self._headers_buffer = [h for h in self._headers_buffer if not h.lower().startswith(b"date:")]
        super().send_header(keyword, value)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        config = json.load(file)
    # The check in front is the only one; moto must not look for a real account.
    os.environ.update(AWS_ACCESS_KEY_ID="none", AWS_SECRET_ACCESS_KEY="none")
    backend = s3_backends["123456789012"]["aws"]
    backend.create_bucket(config["bucket"], "us-east-1")
    for item in config["objects"]:
        if "file" in item:
            with open(item["file"], "rb") as file:
                content = file.read()
        else:
            content = item["text"].encode()
        backend.put_object(config["bucket"], item["key"], content)
    with open(sys.argv[1] + ".log", "w", encoding="utf-8") as log:
        server = make_server("127.0.0.1", 0, Front(config, log), threaded=True, request_handler=Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(f"listening on {server.port}", flush=True)
        sys.stdin.read()
        os._exit(0)


main()
