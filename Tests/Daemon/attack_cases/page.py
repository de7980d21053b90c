"""The page and its files: paths out of it, methods, and what a browser is told."""

import re

import raw
import rpc
from outcome import Cases, holds, same

cases = Cases()
UP = ("/page/../../etc/passwd", "/../../../../etc/passwd", "/page/..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/etc/passwd",
      "/page/%2e%2e%2f%2e%2e%2fetc/passwd", "//etc/passwd", "/page//etc/passwd", "/..%5c..%5cetc%5cpasswd",
      "/%252e%252e/%252e%252e/etc/passwd", "/page/%00/../../etc/passwd", "/etc/passwd%00.js", "/./../etc/passwd",
      "/page/..;/..;/etc/passwd", "/%c0%ae%c0%ae/etc/passwd", "/file:///etc/passwd", "/api/v1/../../etc/passwd",
      "/queue.sqlite", "/../queue.sqlite", "/.ssh/id_rsa")


@cases("paths that leave the page's files get others")
def paths(it):
    for path in UP:
        answer = raw.ask(it.port, "GET", path)
        holds(b"root:" not in answer and b"SQLite" not in answer, f"{path} got a file")
        holds(raw.status(answer) in (400, 401, 403, 404), f"{path}: status {raw.status(answer)}")


@cases("CONNECT, TRACE and other methods do something")
def methods(it):
    for method in ("CONNECT", "TRACE", "PUT", "DELETE", "PATCH", "MOVE", "PROPFIND", "get", "X"):
        for path in ("/jsonrpc", f"127.0.0.1:{it.files.port}"):
            answer = raw.ask(it.port, method, path, fields=["X-Echo: echoed"], timeout=1)
            status = raw.status(answer)
            holds(status != 200 and b"echoed" not in answer, f"{method} {path}: status {status}")


@cases("the page lets itself be framed, or loads from elsewhere", "segdl")
def policy(it):
    answer = rpc.exchange(it.port, "GET", "/")
    same(answer.status, 200, "status of the page")
    fields = answer.headers
    policy = {rule.split()[0]: rule.split()[1:] for rule in fields["content-security-policy"].split(";")}
    for name, wanted in (("default-src", ["'none'"]), ("script-src", ["'self'"]), ("style-src", ["'self'"]),
                         ("connect-src", ["'self'"]), ("frame-ancestors", ["'none'"])):
        same(policy.get(name), wanted, name)
    same(set(policy.get("img-src", [])) <= {"'self'", "data:"}, True, "img-src")
    same((fields["x-content-type-options"], fields["referrer-policy"]), ("nosniff", "no-referrer"), "other fields")
    page = answer.body.decode()
    for link in re.findall(r"(?:src|href)=[\"']([^\"']+)", page):
        holds(not re.match(r"[a-z]+:(?!image/)|//", link) or link.startswith("data:"), f"the page loads {link}")
        if not link.startswith(("data:", "#")):
            got = rpc.exchange(it.port, "GET", "/" + link.lstrip("./"))
            same((got.status, got.headers.get("x-content-type-options")), (200, "nosniff"), link)


@cases("markup in a name, a method or a path comes back as a page")
def markup(it):
    name = "<img src=x onerror=alert(1)>"
    answer = it.call("addUri", [it.files.url("late/x")], {"pause": "true", "out": name})
    if "result" in answer.body:
        answer = it.call("tellStatus", answer.result)
    same(answer.headers["content-type"].split(";")[0], "application/json-rpc", "Content-Type")
    text = rpc.exchange(it.port, "GET", f"/jsonrpc?method={'%3Cscript%3E'}&id=1")
    same(text.headers["content-type"].split(";")[0], "application/json-rpc", "Content-Type of an error")
    for path in ("/%3Cscript%3Ealert(1)%3C/script%3E", "/nothing?<script>alert(1)</script>"):
        answer = raw.ask(it.port, "GET", path)
        holds(b"<script>alert" not in answer, f"{path} comes back")
