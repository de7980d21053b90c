"""Names that servers choose, and credentials that must not reach another host."""

import json
import os

from outcomes import Outcome, classify, read
from tools import Run


def redirected(credentials):
    """Redirects to another host; does that one see the Authorization header?"""
    def row(bench, tool, work, case):
        to = bench.other.url("plain", case)
        url = bench.server.url("redirect", case, to=to)
        if not credentials:
            url = url.replace("//", "//me:secret@", 1)
        elif tool not in credentials:
            return None
        run = Run(bench, tool, url, work, extra=credentials.get(tool, ""))
        status = run.wait()
        heads = json.dumps([entry["headers"] for entry in bench.other.ask("log", case)]).lower()
        name = classify(tool, work, status, [bench.server.truth()])
        return Outcome("LEAKED" if "authorization" in heads else name, run.seconds)
    return row


# Authorization as a header that was given by hand, and by the switches that are for it.
BY_HEADER = dict.fromkeys(["segdl", "axel", "curl"], '-H "Authorization: Bearer secret"')
BY_HEADER["aria2"] = '--header="Authorization: Bearer secret"'
BY_OPTION = {"segdl": "--user me:secret", "aria2": "--http-user=me --http-passwd=secret", "curl": "-u me:secret"}


def named(value, existing=None, resume=True):
    """The server gives the name. The run is in a directory `in`; nothing may appear beside it."""
    def row(bench, tool, work, case):
        os.mkdir(f"{work}/in")
        if existing:
            with open(f"{work}/in/{existing}", "w") as file:
                file.write("mine\n" * 200)
        url = bench.server.url("plain", case, disposition=value.replace("WORK", work))
        # curl takes either a name from the server or `-C -`.
        output = {"curl": "-O" if resume and existing == "out" else "-OJ"}.get(tool, "")
        run = Run(bench, tool, url, f"{work}/in", output=output, resume=resume and output != "-OJ")
        status = run.wait()
        names = sorted(os.listdir(f"{work}/in"))
        exact = [name for name in names if read(f"{work}/in/{name}") == bench.server.truth()]
        note = "as " + ", ".join(f"`{name.replace(work.replace('/', '_'), '_…')}`" for name in exact) if exact else ""
        if os.listdir(work) != ["in"]:
            return Outcome("OUTSIDE", run.seconds)
        if existing and read(f"{work}/in/{existing}") != b"mine\n" * 200:
            return Outcome("OVERWROTE", run.seconds, f"exit {status}")
        if status is None:
            return Outcome("hung", run.seconds)
        if status == 0:
            return Outcome("exact" if exact else "WRONG, exit 0", run.seconds, note)
        return Outcome("exact, but an error" if exact else "refused", run.seconds, note)
    return row


NAME_ROWS = {
    "redirect to another host, header by option": redirected(BY_HEADER),
    "redirect to another host, user and password by option": redirected(BY_OPTION),
    "redirect to another host, user and password in the URL": redirected({}),
    "server names it `../evil`": named('attachment; filename="../evil"'),
    "server names it `/…/evil`, absolute": named('attachment; filename="WORK/evil"'),
    "server names it like an existing file": named('attachment; filename="notes"', existing="notes"),
    "server names it like an existing file, without the switches for resuming": named(
        'attachment; filename="notes"', existing="notes", resume=False),
    "URL names it like an existing file": named("attachment", existing="out"),
    "URL names it like an existing file, without the switches for resuming": named(
        "attachment", existing="out", resume=False),
}
