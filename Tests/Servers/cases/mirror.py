"""A tree with odd names, and its changes."""

import dataclasses

from cases.whole import compare
from content import TREE
from listing import linked
from outcome import FAILED, NOT_OFFERED, PASSED, Outcome, passed
from server import wait_until

CHANGED, REMOVED, ADDED = TREE[0], TREE[1], "added.bin"
OWN = ("segdl-mirror.jsonl", "SHA256SUMS")


def mirror(stage):
    if not hasattr(stage.tool, "mirror"):
        return Outcome(NOT_OFFERED, f"{stage.tool.name} has no mirrors")
    copy = stage.place("copy")
    notes = [linked(stage.server).shortage()]
    first, _ = once(stage, copy)
    if first.kind != PASSED:
        return first
    second, fetched = once(stage, copy)
    if second.kind != PASSED:
        return dataclasses.replace(second, note=f"second run: {second.note}")
    if fetched and not stage.server.asks_again:
        return Outcome(FAILED, f"the second run fetched {fetched} files")
    if fetched:
        notes.append(f"the second run fetched {fetched} files, because {stage.server.asks_again}")
    third = after_change(stage, copy)
    if third.kind != PASSED:
        return dataclasses.replace(third, note=f"after the change: {third.note}")
    return passed("; ".join(note for note in notes if note))


def once(stage, copy, *words):
    """Runs a mirror. Gives its outcome, and the number of files that it fetched."""
    there = linked(stage.server)
    if len(there.files) < len(TREE) // 2:
        return Outcome(FAILED, f"its listings link to {len(there.files)} files only"), 0
    run = stage.tool.mirror(stage.server.url("tree/"), copy, *words, access=stage.server.access())
    found = copied(copy)
    if (there.stray or there.unread) and run.status == 1:
        # That is rightly reported, and the rest is compared.
        run = dataclasses.replace(run, status=0)
    if there.unread and "--delete" in words:
        # Nothing is removed then, because the file may be in the listing that was not read.
        found.pop(REMOVED, None)
    wanted = {path: stage.site.read(f"tree/{path}") for path in there.files}
    return compare(run, found, wanted), run.fetched


def after_change(stage, copy):
    """A file is changed, one removed, one added."""
    kept = {path: stage.site.read(f"tree/{path}") for path in (CHANGED, REMOVED)}
    try:
        stage.site.change(f"tree/{CHANGED}", b"changed" * 99)
        (stage.site.root / "tree" / REMOVED).unlink()
        stage.site.change(f"tree/{ADDED}", b"new" * 99)
        if not wait_until(lambda: is_shown(stage.server), 30, pause=0.2):
            return Outcome(FAILED, "the server does not show the change")
        return once(stage, copy, "--delete")[0]
    finally:
        for path, data in kept.items():
            stage.site.write(f"tree/{path}", data)
        (stage.site.root / "tree" / ADDED).unlink()


def is_shown(server):
    """A cache may show the tree before for a while."""
    listing = server.fetch("tree/").body
    return (
        server.fetch(f"tree/{CHANGED}").body == b"changed" * 99
        and ADDED.encode() in listing
        and b"extension" not in listing
    )


def copied(copy):
    return {
        str(file.relative_to(copy)): file.read_bytes()
        for file in sorted(copy.rglob("*"))
        if file.is_file() and file.name not in OWN and not file.name.startswith(".segdl-mirror.")
    }
