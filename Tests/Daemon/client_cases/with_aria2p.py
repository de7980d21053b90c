"""aria2p (PyPI), a library and command for aria2, with all that it can do."""

import contextlib
import importlib.util
import threading

from behaviours import content
from daemons import until
from outcome import Cases, LeftOut, holds, same
from stand import new_gid

cases = Cases()


def opened(it):
    if not importlib.util.find_spec("aria2p"):
        raise LeftOut("aria2p is not installed (pip install aria2p)")
    import aria2p
    from loguru import logger
    logger.disable("aria2p")
    return aria2p.API(aria2p.Client(host="http://127.0.0.1", port=it.port, secret=it.daemon.secret))


def slow(it, api, name, **options):
    """A download that stays active until the end of a case."""
    download = api.add_uris([it.files.url(f"slow/50000/3000000/{name}")], options={"split": "1", **options})
    until(lambda: api.get_download(download.gid).completed_length, lambda: f"bytes of {name}")
    return api.get_download(download.gid)


@cases("aria2p: a download from add to complete, with all its attributes")
def complete(it):
    api = opened(it)
    download, = api.add(it.files.url("file/3000001/p.bin"))
    until(lambda: download.live.is_complete, lambda: str(download.live.status))
    same((download.total_length, download.completed_length, download.progress, download.name),
         (3_000_001, 3_000_001, 100.0, "p.bin"), "attributes")
    same((str(download.dir), str(download.files[0].path)), (str(it.directory), str(it.directory / "p.bin")), "paths")
    same((it.directory / "p.bin").read_bytes(), content(3_000_001), "file")
    for name in ("status", "bitfield", "connections", "download_speed", "error_code", "error_message", "eta_string",
                 "followed_by", "following", "belongs_to", "has_failed", "is_torrent", "is_metadata", "num_pieces",
                 "piece_length", "progress_string", "upload_length", "upload_speed", "verified_length",
                 "verify_integrity_pending", "root_files_paths", "total_length_string", "info_hash", "seeder"):
        getattr(download, name)
    same((download.error_code, download.is_torrent, download.has_failed), ("0", False, False), "ends")


@cases("aria2p: lists, statistics and version")
def lists(it):
    api = opened(it)
    active, paused = slow(it, api, "l.bin"), api.add_uris([it.files.url("late/p")], options={"pause": "true"})
    done = api.add_uris([it.files.url("file/10/d.bin")])
    until(lambda: api.get_download(done.gid).is_complete, lambda: "it is complete")
    same([one.gid for one in api.get_downloads()], [active.gid, paused.gid, done.gid], "downloads")
    same([one.gid for one in api.get_downloads([done.gid])], [done.gid], "chosen")
    stats = api.get_stats()
    same((stats.num_active, stats.num_waiting, stats.num_stopped), (1, 1, 1), "statistics")
    holds(stats.download_speed >= 0 and stats.upload_speed == 0, "speeds")
    client = api.client
    holds("version" in client.get_version() and client.get_session_info()["sessionId"], "version and session")
    holds("aria2.addUri" in client.list_methods() and client.list_notifications(), "lists")
    for answer in (client.get_uris(active.gid), client.get_files(active.gid), client.get_servers(active.gid)):
        holds(len(answer) >= 1, "details")
    same(client.get_peers(active.gid), [], "peers")


@cases("aria2p: pause, resume and remove, for one and for all")
def control(it):
    api = opened(it)
    download = slow(it, api, "c.bin")
    same(api.pause([download]), [True], "pause")
    until(lambda: download.live.is_paused, lambda: download.live.status)
    same(api.resume([download]), [True], "resume")
    until(lambda: download.live.is_active, lambda: download.live.status)
    holds(api.pause_all() and api.pause_all(force=True), "pause all")
    until(lambda: download.live.is_paused, lambda: download.live.status)
    holds(api.resume_all(), "resume all")
    until(lambda: download.live.is_active, lambda: download.live.status)
    same(api.remove([download], force=True), [True], "remove")
    done = api.add_uris([it.files.url("file/10/d.bin")])
    until(lambda: done.live.is_complete, lambda: "it is complete")
    same(api.remove([done.live], files=True), [True], "remove with files")
    holds(not (it.directory / "d.bin").exists(), "the file is still there")
    until(lambda: api.purge() and not api.get_downloads(), lambda: str(api.get_downloads()))


@cases("aria2p: remove and at once removeDownloadResult leave nothing behind")
def removed_at_once(it):
    api = opened(it)
    for number in range(5):
        download = slow(it, api, f"r{number}.bin")
        api.remove([download], force=True, clean=False)
    # The result may appear after aria2p asked for its removal; then purge takes it, as with aria2.
    until(lambda: api.client.tell_active() == [], lambda: "none is active")
    api.purge()
    same(api.get_downloads(), [], "downloads")


@cases("aria2p: the order of the queue")
def order(it):
    api = opened(it)
    downloads = [api.add_uris([it.files.url(f"late/{number}")], options={"pause": "true"}) for number in range(4)]
    one = downloads[0]
    gids = lambda: [downloads.index(one) for one in api.get_downloads()]  # noqa: E731
    for move, place in ((api.move_down, 1), (api.move_to_bottom, 3), (api.move_up, 2), (api.move_to_top, 0)):
        same(move(one), place if move in (api.move_to_bottom, api.move_to_top) else api.move(one, 0), move.__name__)
        same(gids().index(0), place, f"place after {move.__name__}")
    same(api.move_to(one, 2), 2, "move_to")
    added = api.add_uris([it.files.url("late/n")], options={"pause": "true"}, position=0)
    same(api.get_downloads()[0].gid, added.gid, "first")


@cases("aria2p: options of a download and of the daemon", "own")
def options(it):
    api = opened(it)
    download = api.add_uris([it.files.url("late/o")], options={
        "pause": "true", "header": ["X-A: 1"], "out": "o.bin", "split": "3", "max-download-limit": "100K"})
    options = download.options
    same((options.split, options.out, options.max_download_limit), (3, "o.bin", 102400), "options")
    options.split = 5
    same(download.options.split, 5, "split after a change")
    same(api.set_options({"max-download-limit": "50K"}, [download]), [True], "set_options")
    same(api.get_options([download])[0].max_download_limit, 51200, "limit after a change")
    holds(api.set_global_options({"max-overall-download-limit": "300K", "max-concurrent-downloads": "3"}), "global")
    everything = api.get_global_options()
    same((everything.max_overall_download_limit, everything.max_concurrent_downloads), (307200, 3), "global options")
    for name in ("allow_overwrite", "auto_file_renaming", "dir", "max_connection_per_server", "min_split_size",
                 "user_agent", "header", "continue_downloads", "file_allocation", "timeout", "max_tries"):
        getattr(everything, name, None)


@cases("aria2p: Retry of a failed download with its options")
def retry(it):
    api = opened(it)
    failed = api.add_uris([it.files.url("status/404/f.bin")], options={"header": ["X-A: 1"], "out": "f.bin"})
    until(lambda: failed.live.has_failed, lambda: failed.live.status)
    same((failed.error_code, bool(failed.error_message)), ("3", True), "its error")
    same(api.retry_downloads([failed]), [True], "retry")
    until(lambda: all(one.has_failed for one in api.get_downloads()), lambda: "it fails again")
    same(len(api.get_downloads()), 1, "downloads")
    same(it.files.asked("f.bin")[-1]["X-A"], "1", "header of the retry")


@cases("aria2p: several calls as a batch and as a multicall")
def many(it):
    api = opened(it)
    client, url = api.client, it.files.url("late/m")
    gids = [new_gid(), new_gid()]
    results = client.batch_call([(client.ADD_URI, [[url], {"gid": gid, "pause": "true"}], gid) for gid in gids])
    same(results, gids, "batch")
    results = client.multicall2([(client.TELL_STATUS, [gid, ["gid"]]) for gid in gids])
    same(results, [[{"gid": gid}] for gid in gids], "multicall")


@cases("aria2p: sources are changed, and a list of files is read")
def sources(it):
    api = opened(it)
    download = api.add_uris([it.files.url("late/s")], options={"pause": "true"})
    same(api.client.change_uri(download.gid, 1, [], [it.files.url("file/10/s")]), [0, 1], "change_uri")
    path = it.daemon.home / "list.txt"
    path.write_text(f"{it.files.url('late/a')}\n  out=a.bin\n  pause=true\n{it.files.url('late/b')}\n  pause=true\n")
    same(len(api.add(str(path))), 2, "downloads of a list")
    same(len(api.get_downloads()), 3, "downloads")


@cases("aria2p: notifications, without a token")
def notifications(it):
    api, heard, is_heard = opened(it), [], threading.Event()

    def hear(name):
        def call(_, gid):
            heard.append((name, gid))
            is_heard.set()
        return call

    api.listen_to_notifications(
        threaded=True, handle_signals=False, timeout=1,
        **{f"on_download_{name}": hear(name) for name in ("start", "pause", "stop", "complete", "error")})
    try:
        # The listener says nothing when it is connected.
        def is_connected():
            api.add_uris([it.files.url("file/1/first.bin")])
            return is_heard.wait(0.2)
        until(is_connected, lambda: "a first notification")
        gid = slow(it, api, "n.bin").gid
        api.pause([api.get_download(gid)], force=True)
        until(lambda: ("pause", gid) in heard, lambda: str(heard))
        api.resume([api.get_download(gid)])
        until(lambda: heard.count(("start", gid)) == 2, lambda: str(heard))
        api.client.force_remove(gid)
        until(lambda: ("stop", gid) in heard, lambda: str(heard))
        failed, done = api.add_uris([it.files.url("status/404/e")]), api.add_uris([it.files.url("file/5/d")])
        until(lambda: ("error", failed.gid) in heard and ("complete", done.gid) in heard, lambda: str(heard))
    finally:
        api.stop_listening()


@cases("aria2p: errors have codes and words")
def errors(it):
    api = opened(it)
    import aria2p
    for call in (lambda: api.get_download("zz"), lambda: api.get_download("f" * 16), lambda: api.add_uris([]),
                 lambda: api.client.pause("f" * 16), lambda: api.client.call("aria2.nope")):
        try:
            call()
        except aria2p.ClientException as error:
            same((error.code, bool(error.message)), (1, True), "error")
        else:
            holds(False, "no error")
    wrong = aria2p.API(aria2p.Client(host="http://127.0.0.1", port=it.port, secret="wrong"))
    with contextlib.suppress(aria2p.ClientException):
        holds(not wrong.get_stats(), "a wrong secret was taken")


@cases("aria2p: shutdown", "own")
def shutdown(it):
    api = opened(it)
    same(api.client.shutdown(), "OK", "shutdown")
    it.daemon.process.wait(20)
