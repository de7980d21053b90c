"""Options of a download and of the daemon, and their change while it runs."""

from daemons import until
from fileserver import content
from outcome import Cases, holds, same

cases = Cases()


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
