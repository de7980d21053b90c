"""Pages of other sites: by a name that points here (DNS rebinding), by Origin, by preflights."""

import json

import raw
import rpc
from outcome import Cases, holds, same
from wsclient import Refused

cases = Cases()
EVIL = "http://evil.example"
FOREIGN_HOSTS = ("evil.example", "evil.example:6800", "127.0.0.1.evil.example", "localhost.evil.example",
                 "evil.example@127.0.0.1", "127.0.0.1@evil.example", "evil.example#127.0.0.1", "0x7f.1", "2130706433",
                 "127.0.0.1:80:80", "127.0.0.1,evil.example", "localhost/evil.example", "", "[::1].evil.example",
                 "127.1")
FOREIGN_ORIGINS = (EVIL, "null", "https://localhost.evil.example", "http://127.0.0.1:1", "http://localhost",
                   "file://", "chrome-extension", "http://evil.example/chrome-extension://x",
                   "evil-chrome-extension://abcd", "http://127.0.0.1@evil.example", "")
SECRETLESS = json.dumps({"id": 1, "method": "system.listMethods"}).encode()


def own(it):
    return f"http://127.0.0.1:{it.port}"


def opens(it, **how):
    try:
        with it.websocket(**how):
            return True
    except Refused:
        return False


@cases("DNS rebinding: a call whose Host is a foreign name is answered")
def call(it):
    for host in FOREIGN_HOSTS:
        answer = raw.ask(it.port, "POST", "/jsonrpc", host or " ", body=SECRETLESS)
        holds(b"listMethods" not in answer, f"Host {host!r} got an answer")
        same(raw.status(answer) in (400, 403), True, f"status {raw.status(answer)} for Host {host!r}")


@cases("DNS rebinding: GET /jsonrpc with a foreign Host is answered")
def by_get(it):
    path = "/jsonrpc?method=system.listMethods&id=1"
    answer = raw.ask(it.port, "GET", path, "evil.example")
    same((raw.status(answer), b"listMethods" in answer), (403, False), "status")


@cases("DNS rebinding: a WebSocket opens for a foreign Host")
def socket(it):
    for host in FOREIGN_HOSTS[:-2]:
        holds(not opens(it, host=host or " "), f"a WebSocket opened for Host {host!r}")
        origin = [f"Origin: http://{host}"]
        holds(not opens(it, host=host or " ", headers=origin), f"a WebSocket opened for Host and Origin {host!r}")


@cases("DNS rebinding: the page and the API are given to a foreign Host", "segdl")
def page(it):
    for path in ("/", "/index.html", "/healthz", "/metrics", "/api/v1/downloads", "/api/v1/events", "/nothing"):
        answer = raw.ask(it.port, "GET", path, "evil.example")
        same(raw.status(answer), 403, f"status of {path}")


@cases("a call without Host, or with two of them, is answered")
def no_host(it):
    length = f"Content-Length: {len(SECRETLESS)}\r\n\r\n".encode()
    for hosts in (b"", b"Host: 127.0.0.1\r\nHost: evil.example\r\n", b"Host: evil.example\r\nHost: 127.0.0.1\r\n"):
        answer, _ = raw.talk(it.port, b"POST /jsonrpc HTTP/1.1\r\n" + hosts + length + SECRETLESS)
        holds(b"listMethods" not in answer, f"{hosts} got an answer")


@cases("an absolute target with a foreign name is answered")
def absolute(it):
    target = "http://evil.example/jsonrpc?method=system.listMethods&id=1"
    answer = raw.ask(it.port, "GET", target)
    holds(b"listMethods" not in answer, "an absolute target got an answer")


@cases("a WebSocket opens for the page of another site, which hears all notifications")
def foreign_socket(it):
    for origin in FOREIGN_ORIGINS:
        holds(not opens(it, headers=[f"Origin: {origin}"]), f"a WebSocket opened for Origin {origin!r}")
    holds(not opens(it, headers=[f"Origin: {own(it)}", f"Origin: {EVIL}"]), "a WebSocket opened for two Origins")


@cases("a page of another site that knows the token adds a download by a simple request")
def simple_request(it):
    for origin in FOREIGN_ORIGINS:
        answer = it.post(it.request("addUri", [it.files.url("late/x")], {"pause": "true"}), Origin=origin,
                         **{"Content-Type": "text/plain"})
        shared = answer.headers.get("access-control-allow-origin")
        same(shared, None, f"Access-Control-Allow-Origin for {origin!r}")
        same(it.waiting(), [], f"downloads that {origin!r} added")


@cases("the preflight of another site is answered with permission, also to a private network")
def preflight(it):
    for origin in FOREIGN_ORIGINS:
        answer = rpc.exchange(it.port, "OPTIONS", "/jsonrpc", headers={
            "Origin": origin, "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type", "Access-Control-Request-Private-Network": "true"})
        allowed = [name for name in answer.headers if name.startswith("access-control-")]
        same(allowed, [], f"permissions for {origin!r}")


@cases("a script element reads an answer as JSONP")
def script(it):
    answer = rpc.get(it.port, "system.listMethods", [], "1", jsoncallback="evil")
    holds(not (isinstance(answer.body, bytes) and answer.body.startswith(b"evil(")), "the callback is in the answer")


@cases("own pages, extensions and clients without Origin are locked out", "segdl")
def allowed(it):
    for origin in (own(it), "chrome-extension://mpkodccbngfoacfalldjimigbofkhgjn", "moz-extension://1-2",
                   "safari-web-extension://A"):
        fields = {"Origin": origin}
        answer = it.post(it.request("getVersion"), **fields)
        same((answer.status, answer.headers.get("access-control-allow-origin")), (200, origin), f"call of {origin}")
        holds(opens(it, headers=[f"Origin: {origin}"]), f"no WebSocket for {origin}")
        answer = rpc.exchange(it.port, "OPTIONS", "/jsonrpc", headers={
            **fields, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type",
            "Access-Control-Request-Private-Network": "true"})
        same(answer.status in (200, 204), True, f"status {answer.status} of a preflight")
        same(answer.headers.get("access-control-allow-origin"), origin, "preflight's origin")
        holds("content-type" in answer.headers.get("access-control-allow-headers", "").lower(), "preflight's fields")
        same(answer.headers.get("access-control-allow-private-network"), "true", "preflight to a private network")
    for host in (f"localhost:{it.port}", f"LOCALHOST:{it.port}", "127.0.0.1", "[::1]:6800", "192.168.1.7:6800"):
        holds(opens(it, host=host), f"no WebSocket for Host {host}")


@cases("--rpc-allow-origin and --rpc-host allow others, too", "own", "segdl", "--rpc-allow-origin",
       "https://front.example", "--rpc-host", "nas.local")
def chosen(it):
    for origin in ("https://front.example", "https://FRONT.example"):
        holds(opens(it, headers=[f"Origin: {origin}"]), f"no WebSocket for {origin}")
    same(it.post(it.request("getVersion"), Origin="https://front.example").headers["access-control-allow-origin"],
         "https://front.example", "Access-Control-Allow-Origin")
    for origin in (EVIL, "http://front.example", "https://front.example.evil", "https://front.example:8443", "null"):
        holds(not opens(it, headers=[f"Origin: {origin}"]), f"a WebSocket opened for {origin}")
    holds(opens(it, host="nas.local:6800"), "no WebSocket for the host")
    for host in ("nas.local.evil", "nas", "xnas.local"):
        holds(not opens(it, host=host), f"a WebSocket opened for {host}")


@cases("--rpc-allow-origin-all allows foreign hosts, too", "own", "segdl",
       "--rpc-allow-origin-all")
def everyone(it):
    for origin in (EVIL, "null"):
        holds(opens(it, headers=[f"Origin: {origin}"]), f"no WebSocket for {origin}")
    holds(not opens(it, host="evil.example"), "a WebSocket opened for a foreign Host")
    answer = it.post({"id": 1, "method": "aria2.getVersion"}, Origin=EVIL)
    same(answer.message, "Unauthorized", "a call without the token")
