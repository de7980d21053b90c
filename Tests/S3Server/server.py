"""An S3 server for tests: moto with its check of users and signatures on, and a stricter check in front of it.

The one in front computes the signature again with botocore, as a real store does: from the path and query decoded and
encoded again in the one canonical way, never from how they were written. Like S3 it refuses a signed request that does
not state the digest of its body (`x-amz-content-sha256`), signed with the rest.

    server.py CONFIG.json

CONFIG: bucket; objects, a list of {key, and text or file}; key, secret, token, region; public (no signature needed);
clock (seconds that the server's clock is off); bucketRegion, if the bucket is not in the region; redirects, an object
of paths and URLs. It prints the port, writes a line of JSON for each request to CONFIG.json.log, and ends with its
standard input.
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
from moto import settings
from moto.iam import access_control
from moto.iam.access_control import S3IAMRequest
from moto.iam.models import iam_backends
from moto.s3.models import s3_backends
from moto.server import create_backend_app
from moto.sts.models import sts_backends
from werkzeug.serving import WSGIRequestHandler, make_server

ACCOUNT = "123456789012"
SKEW = 15 * 60
# SHA-256 of nothing, which is the body of each request here.
NO_BODY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
READING = '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}'
TRUST = '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "sts:AssumeRole"}]}'


asked = threading.local()


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
        digest = headers.get("x-amz-content-sha256")
        if digest is None:
            missing = "Missing required header for this request: x-amz-content-sha256"
            raise Refused("400 Bad Request", "InvalidRequest", missing)
        if digest != NO_BODY:
            raise Refused("400 Bad Request", "XAmzContentSHA256Mismatch", f"'{digest}' is not the digest of nothing")
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
        asked.target = target
        headers = {
            name[5:].lower().replace("_", "-"): value for name, value in environ.items() if name.startswith("HTTP_")
        }
        note = {
            "target": target,
            "range": headers.get("range"),
            "signed": "authorization" in headers,
            "token": headers.get("x-amz-security-token"),
            "digest": headers.get("x-amz-content-sha256"),
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
        region = self.config.get("bucketRegion")
        if region and region != self.config["region"]:
            body = "<Error><Code>PermanentRedirect</Code><Message>The bucket is elsewhere.</Message></Error>"
            fields = [("Content-Type", "application/xml"), ("x-amz-bucket-region", region)]
            return self.answer(start, "301 Moved Permanently", fields, body)
        location = self.config.get("redirects", {}).get(target.partition("?")[0])
        if location:
            return self.answer(start, "307 Temporary Redirect", [("Location", location)], "")
        if self.config.get("public"):
            # moto would look for access control lists.
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


class RawRequest(S3IAMRequest):
    """A request for moto's check with the path as it was sent; moto decodes it before, and refuses odd keys."""

    def _create_aws_request(self):
        self._path = asked.target
        return super()._create_aws_request()


def check_users(config):
    """Turns moto's check on, with the configured key: of a user, or of an assumed role if it has a token."""
    settings.INITIAL_NO_AUTH_ACTION_COUNT = 0
    access_control.S3IAMRequest = RawRequest
    people = iam_backends[ACCOUNT]["aws"]
    if config.get("token"):
        role = people.create_role("reader", TRUST, "/", None, "", [], "3600")
        people.put_role_policy("reader", "reading", READING)
        key = sts_backends[ACCOUNT]["aws"].assume_role("us-east-1", "session", role.arn, None, 3600, None)
        key.session_token = config["token"]
    else:
        people.create_user("us-east-1", "reader")
        people.put_user_policy("reader", "reading", READING)
        key = people.create_access_key("reader")
    key.access_key_id, key.secret_access_key = config["key"], config["secret"]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        config = json.load(file)
    # moto must not look for a real account.
    os.environ.update(AWS_ACCESS_KEY_ID="none", AWS_SECRET_ACCESS_KEY="none")
    backend = s3_backends[ACCOUNT]["aws"]
    backend.create_bucket(config["bucket"], "us-east-1")
    for item in config["objects"]:
        if "file" in item:
            with open(item["file"], "rb") as file:
                content = file.read()
        else:
            content = item["text"].encode()
        backend.put_object(config["bucket"], item["key"], content)
    if not config.get("public"):
        check_users(config)
    with open(sys.argv[1] + ".log", "w", encoding="utf-8") as log:
        server = make_server("127.0.0.1", 0, Front(config, log), threaded=True, request_handler=Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(f"listening on {server.port}", flush=True)
        sys.stdin.read()
        os._exit(0)


main()
