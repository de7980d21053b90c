"""Lines slipped into requests that the daemon sends to others."""

import contextlib

from outcome import Cases, same
from stand import FINAL

cases = Cases()


def is_clean(it, name):
    for fields in it.files.asked(name):
        same(fields["Injected"], None, f"the field that was slipped into the request for {name}")


def attempt(it, number, url, **options):
    """Adds it, and lets it run if it is taken."""
    answer = it.call("addUri", [url], {name.replace("_", "-"): value for name, value in options.items()})
    if "result" in answer.body:
        it.until_state(answer.result, *FINAL, "waiting")
    is_clean(it, f"injected{number}")


@cases("CR and LF in a header, referer, user agent, user name or password add fields")
def options(it):
    number = 0
    for end in ("\r\n", "\n", "\r", "\u0000\r\n", "\u2028", "\u0085"):
        for name in ("header", "referer", "user_agent", "http_user", "http_passwd"):
            number += 1
            value = f"X: y{end}Injected: 1"
            # A text for `header` is a list of lines, which is no attack.
            value = [value] if name == "header" else value
            attempt(it, number, it.files.url(f"file/1/injected{number}"), **{name: value})


@cases("the same by changeOption", "own")
def changed(it):
    for number, name in enumerate(("header", "referer", "user-agent"), 100):
        gid = it.paused(f"file/1/injected{number}")
        value = "X: y\r\nInjected: 1"
        it.call("changeOption", gid, {name: [value] if name == "header" else value})
        it.call("changeGlobalOption", {name: [value] if name == "header" else value})
        it.result("unpause", gid)
        it.until_state(gid, *FINAL)
        is_clean(it, f"injected{number}")
        attempt(it, number + 10, it.files.url(f"file/1/injected{number + 10}"))


@cases("CR and LF in an address add fields")
def address(it):
    for number, text in enumerate(("\r\nInjected: 1", " HTTP/1.1\r\nInjected: 1\r\nX: ", "%0d%0aInjected:%201"), 200):
        attempt(it, number, it.files.url(f"file/1/injected{number}") + text)


@cases("a header that replaces Host, Content-Length or Range ends the daemon")
def replaced(it):
    for number, header in enumerate(("Host: evil.example", "Content-Length: 5", "Transfer-Encoding: chunked",
                                     "Range: bytes=0-0", "Connection: close"), 300):
        answer = it.call("addUri", [it.files.url(f"file/9/replaced{number}")], {"header": [header]})
        if "result" in answer.body:
            # A server and a client that disagree on the length may both wait.
            with contextlib.suppress(TimeoutError):
                it.until_state(answer.result, *FINAL, seconds=2)
    same(it.call("getVersion").status, 200, "status afterwards")
