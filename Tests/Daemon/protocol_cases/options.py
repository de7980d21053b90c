"""Options of a download and of the daemon, and their change while it runs."""

from behaviours import content
from daemons import free_port, until
from outcome import Cases, LeftOut, holds, same

cases = Cases()

# What aria2c 1.36 shows of each download that was added without options.
SHOWN = [
    "allow-overwrite", "allow-piece-length-change", "always-resume", "async-dns", "auto-file-renaming",
    "bt-enable-hook-after-hash-check", "bt-enable-lpd", "bt-force-encryption", "bt-hash-check-seed",
    "bt-load-saved-metadata", "bt-max-peers", "bt-metadata-only", "bt-min-crypto-level", "bt-remove-unselected-file",
    "bt-request-peer-speed-limit", "bt-require-crypto", "bt-save-metadata", "bt-seed-unverified", "bt-stop-timeout",
    "bt-tracker-connect-timeout", "bt-tracker-interval", "bt-tracker-timeout", "check-integrity", "conditional-get",
    "connect-timeout", "content-disposition-default-utf8", "continue", "dir", "dry-run", "enable-http-keep-alive",
    "enable-http-pipelining", "enable-mmap", "enable-peer-exchange", "file-allocation", "follow-metalink",
    "follow-torrent", "force-save", "ftp-pasv", "ftp-reuse-connection", "ftp-type", "hash-check-only",
    "http-accept-gzip", "http-auth-challenge", "http-no-cache", "lowest-speed-limit", "max-connection-per-server",
    "max-download-limit", "max-file-not-found", "max-mmap-limit", "max-resume-failure-tries", "max-tries",
    "max-upload-limit", "metalink-enable-unique-protocol", "metalink-preferred-protocol", "min-split-size",
    "no-file-allocation-limit", "no-netrc", "parameterized-uri", "pause-metadata", "piece-length", "proxy-method",
    "realtime-chunk-checksum", "remote-time", "remove-control-file", "retry-wait", "reuse-uri", "save-not-found",
    "seed-ratio", "split", "stream-piece-selector", "timeout", "uri-selector", "use-head", "user-agent",
]

# Options of the daemon and of its callers with the values that clients copy from a configuration of aria2's.
HARMLESS = {
    "check-certificate": "true", "enable-rpc": "true", "daemon": "false", "all-proxy": "", "dry-run": "false",
    "hash-check-only": "false", "parameterized-uri": "false", "disable-ipv6": "false", "log": "", "save-session": "",
    "netrc-path": "", "load-cookies": "", "input-file": "", "rpc-listen-all": "false", "rpc-secret": "",
    "rpc-listen-port": "6800", "rpc-max-request-size": "2M", "on-download-complete": "", "ca-certificate": "",
    "stop": "0", "no-proxy": "", "bt-tracker": "", "header": "", "referer": "",
}


def problem(name):
    return f"We encountered a problem while processing the option '--{name}'."


@cases("getOption is a map of texts without gid; what was set is in it")
def get(it):
    gid = it.paused(split="3", max_download_limit="10K", header=["A: b", "C: d"], out="n.bin", referer="http://r/")
    options = it.result("getOption", gid)
    holds(all(isinstance(value, str) for value in options.values()), f"texts: {options}")
    same([options.get(name) for name in ("split", "max-download-limit", "out", "referer", "dir")],
         ["3", "10240", "n.bin", "http://r/", str(it.directory)], "options")
    same(options["header"].strip("\n").split("\n"), ["A: b", "C: d"], "header")
    same({"rpc-secret", "gid", "pause"} & options.keys(), set(), "what must not be in it")


@cases("getOption shows each option that aria2c shows")
def shown(it):
    options = it.result("getOption", it.paused())
    same(set(SHOWN) - options.keys(), set(), "options that are missing")
    overall = it.result("getGlobalOption")
    same(set(SHOWN) - overall.keys(), set(), "options that are missing of the daemon")


@cases("a value that asks for nothing is taken, alone and with all others")
def harmless(it):
    for options in [HARMLESS, *({name: value} for name, value in HARMLESS.items())]:
        answer = it.call("addUri", [it.files.url("late/a")], {**options, "pause": "true"})
        holds(answer.status == 200, f"{options}: {answer.body}")


@cases("what segdl does not do for one download is refused, with the reason")
def refused(it):
    if it.is_aria2:
        raise LeftOut("aria2c does these, or passes them over")
    for name, value in (("check-certificate", "false"), ("all-proxy", "http://p:1"), ("dry-run", "true"),
                        ("parameterized-uri", "true"), ("hash-check-only", "true"), ("log", "/tmp/l")):
        answer = it.call("addUri", [it.files.url("late/a")], {name: value})
        same((answer.code, answer.status), (1, 400), name)
        holds(len(answer.message) > len(problem(name)) or "belongs to the daemon" in answer.message, answer.message)
    same(it.waiting() + it.active(), [], "downloads")


@cases("max-tries=1: a port that nobody listens at is an error at once")
def one_try(it):
    url = f"http://127.0.0.1:{free_port()}/a"
    gid = it.result("addUri", [url], {"max-tries": "1"})
    it.until_state(gid, "error")
    gid = it.result("addUri", [it.files.url("status/502/once")], {"max-tries": "1"})
    it.until_state(gid, "error")
    same(len(it.files.asked("502/once")), 1, "requests")


@cases("max-tries and retry-wait: the number of requests is that of the tries")
def some_tries(it):
    gid = it.add("status/502/thrice", max_tries="3", retry_wait="1")
    it.until_state(gid, "error")
    same(len(it.files.asked("502/thrice")), 3, "requests")
    same(it.status(gid, "errorCode")["errorCode"], "29", "errorCode")


@cases("http-no-cache asks caches for a fresh answer")
def no_cache(it):
    gid = it.add("file/10/fresh.bin", http_no_cache="true")
    it.until_state(gid, "complete")
    sent = it.files.asked("fresh.bin")[-1]
    same((sent["Cache-Control"], sent["Pragma"]), ("no-cache", "no-cache"), "fields")
    it.until_state(it.add("file/10/usual.bin"), "complete")
    same(it.files.asked("usual.bin")[-1]["Pragma"], None, "Pragma without it")


@cases("remove-control-file with allow-overwrite begins anew")
def anew(it):
    (it.directory / "x.bin").write_bytes(content(5000)[:2000])
    (it.directory / "x.bin.aria2").write_bytes(b"nothing")
    gid = it.add("file/5000/x.bin", allow_overwrite="true", remove_control_file="true")
    it.until_state(gid, "complete")
    same((it.directory / "x.bin").read_bytes(), content(5000), "file")
    holds(not (it.directory / "x.bin.aria2").exists(), "the control file is there")


@cases("continue goes on behind the bytes that are there")
def go_on(it):
    (it.directory / "x.bin").write_bytes(content(3_000_000)[:2_000_000])
    gid = it.add("file/3000000/x.bin", **{"continue": "true"})
    it.until_state(gid, "complete")
    same((it.directory / "x.bin").read_bytes(), content(3_000_000), "file")
    same([path.name for path in it.directory.iterdir()], ["x.bin"], "files")


@cases("a line break in one of several headers makes no second one")
def line_breaks(it):
    for number, value in enumerate(("A: b\r\nEvil: 1", "A: b\nEvil: 1", "A: b\rEvil: 1")):
        answer = it.call("addUri", [it.files.url(f"file/10/break{number}")], {"header": [value, "C: d"]})
        if not it.differs(True, False, "a header with a line break is refused"):
            same((answer.code, answer.status), (1, 400), f"error of {value!r}")
            continue
        it.until_state(answer.result, "complete")
    if not it.is_aria2:
        same(it.waiting() + it.active(), [], "downloads")


@cases("Retry of AriaNg: all of getOption goes into addUri again")
def retry(it):
    gid = it.add("status/404/t.bin", header=["X-A: 1", "X-B: 2"], split="4", out="retried.bin")
    it.until_state(gid, "error")
    options = it.result("getOption", gid)
    # AriaNg makes an array of the option header.
    options["header"] = [line for line in options["header"].split("\n") if line]
    again = it.result("addUri", [it.files.url("file/10/retry.bin")], options)
    it.until_state(again, "complete")
    same((it.directory / "retried.bin").read_bytes(), content(10), "file")
    same(it.files.asked("retry.bin")[-1]["X-B"], "2", "header")


@cases("changeOption of a waiting download: known ones change, unknown ones are passed over")
def change(it):
    gid = it.paused("file/10/changed.bin")
    same(it.result("changeOption", gid, {"max-download-limit": "1M", "nope": "x", "split": 7, "out": "new.bin"}), "OK",
         "changeOption")
    options = it.result("getOption", gid)
    same(options["max-download-limit"], str(1 << 20), "limit")
    holds("nope" not in options, "nope is shown")
    it.result("unpause", gid)
    it.until_state(gid, "complete")
    same((it.directory / "new.bin").read_bytes(), content(10), "file")


@cases("changeOption of an active download changes its limit while it runs")
def change_active(it):
    gid = it.add("file/9000000/live.bin", max_download_limit="50K")
    it.until_bytes(gid)
    same(it.result("changeOption", gid, {"max-download-limit": "0"}), "OK", "changeOption")
    it.until_state(gid, "complete")
    same((it.directory / "live.bin").read_bytes(), content(9_000_000), "file")


@cases("changeOption: bad values are errors and change nothing")
def change_wrong(it):
    gid = it.paused(split="3")
    for name, value in (("split", "x"), ("split", "0"), ("max-download-limit", "-1"), ("allow-overwrite", "maybe")):
        it.refused(it.call("changeOption", gid, {"max-download-limit": "9K", name: value}), problem(name))
    options = it.result("getOption", gid)
    same((options["split"], options["max-download-limit"]), ("3", "0"), "options")
    it.refused(it.call("changeOption", gid, 5), "The parameter at 1 has wrong type.")
    it.refused(it.call("changeOption", gid), "The parameter at 1 is required but missing.")
    done = it.add("file/10/d")
    it.until_state(done, "complete")
    it.refused(it.call("changeOption", done, {}), f"Cannot change option for GID#{done}")


@cases("getGlobalOption is a map of texts with what front-ends show")
def get_global(it):
    options = it.result("getGlobalOption")
    holds(all(isinstance(value, str) for value in options.values()), "texts")
    same(options["dir"], str(it.directory), "dir")
    for name in ("max-concurrent-downloads", "max-overall-download-limit", "split", "max-connection-per-server",
                 "max-download-limit", "min-split-size", "user-agent"):
        holds(name in options, f"{name} is not there")
    holds(options["max-overall-download-limit"].isdigit(), "limit")
    holds(options["max-concurrent-downloads"].isdigit(), "downloads at the same time")
    same("rpc-secret" in options, False, "rpc-secret is shown")


@cases("changeGlobalOption: sizes come back in bytes, unknown names are passed over", "own")
def change_global(it):
    same(it.result("changeGlobalOption", {
        "max-overall-download-limit": "300K", "max-concurrent-downloads": "2", "max-overall-upload-limit": "1M",
        "nope": "1", "split": 5}), "OK", "changeGlobalOption")
    options = it.result("getGlobalOption")
    same([options.get(name) for name in ("max-overall-download-limit", "max-concurrent-downloads", "nope")],
         ["307200", "2", None], "options")


@cases("changeGlobalOption: bad values are errors, and change nothing", "own")
def change_global_wrong(it):
    before = it.result("getGlobalOption")
    for name, value in (("max-concurrent-downloads", "0"), ("max-concurrent-downloads", "x"),
                        ("max-overall-download-limit", "-3"), ("split", "a")):
        it.refused(it.call("changeGlobalOption", {"max-overall-download-limit": "5K", name: value}), problem(name))
    same(it.result("getGlobalOption"), before, "options")
    it.refused(it.call("changeGlobalOption"), "The parameter at 0 is required but missing.")
    it.refused(it.call("changeGlobalOption", []), "The parameter at 0 has wrong type.")


@cases("max-concurrent-downloads holds others back, and lets them go when it grows", "own")
def concurrent(it):
    it.result("changeGlobalOption", {"max-concurrent-downloads": "1"})
    gids = [it.add(f"slow/1000/100000/{index}.bin") for index in range(3)]
    until(lambda: it.active() == gids[:1], lambda: "one is active")
    same(it.waiting(), gids[1:], "the others wait")
    it.result("changeGlobalOption", {"max-concurrent-downloads": "3"})
    until(lambda: len(it.active()) == 3, lambda: "all are active")


@cases("global options are those of downloads that are added later", "own")
def inherited(it):
    it.result("changeGlobalOption", {"user-agent": "Global/1", "dir": str(it.directory / "elsewhere"),
                                     "max-download-limit": "70K", "header": ["X-G: 1"]})
    gid = it.add("file/10/g.bin")
    it.until_state(gid, "complete")
    same((it.directory / "elsewhere/g.bin").read_bytes(), content(10), "file")
    sent = it.files.asked("g.bin")[-1]
    same((sent["User-Agent"], sent["X-G"]), ("Global/1", "1"), "request")
    options = it.result("getOption", gid)
    same((options["dir"], options["max-download-limit"]), (str(it.directory / "elsewhere"), "71680"), "options")


@cases("a settings page may send back whatever getGlobalOption said", "own")
def unchanged(it):
    before = it.result("getGlobalOption")
    # aria2 itself opens `log` and other files then, so that they are left out.
    sent = {name: value for name, value in before.items() if not name.startswith(("rpc-", "log", "enable-rpc"))}
    same(it.result("changeGlobalOption", sent), "OK", "changeGlobalOption")
    after = it.result("getGlobalOption")
    same({name for name in before if before[name] != after.get(name)}, set(), "options that changed")
