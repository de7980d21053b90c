"""Files that arrive without a fault."""

from content import ARCHIVE, LISTED, SIZES
from outcome import FALSE_DONE, PASSED, REFUSED, WRONG, Outcome, difference, judge, passed, worst


def sizes(stage):
    return worst(fetch(stage, name) for name in SIZES)


def archive(stage):
    """Some servers announce `Content-Encoding: gzip` because of the name, and send the file as it is."""
    outcome = fetch(stage, ARCHIVE)
    announced = stage.server.fetch(ARCHIVE).headers.get("Content-Encoding")
    return passed(f"announced as {announced}") if outcome.kind == PASSED and announced else outcome


def fetch(stage, name):
    place = stage.place(name)
    run = stage.tool.fetch(stage.server.url(name), place, stage.server.access())
    return judge(run, place, stage.site.read(name))


def many(stage):
    names = [f"f{number:02}.bin" for number in range(LISTED)]
    directory = stage.place("one").parent
    run = stage.tool.list([stage.server.url(f"list/{name}") for name in names], directory, stage.server.access())
    found = {file.name: file.read_bytes() for file in directory.iterdir()}
    wanted = {name: stage.site.read(f"list/{name}") for name in names}
    return compare(run, found, wanted)


def compare(run, found, wanted):
    """Compares trees, as maps of paths to bytes."""
    count = f"{len(wanted)} files"
    for path, content in sorted(found.items()) if run.is_final else []:
        if path not in wanted:
            return Outcome(WRONG, f"{path!r} is not a file of the server, status {run.status}")
        if content != wanted[path]:
            return Outcome(WRONG, f"{path!r}: {difference(content, wanted[path])}, status {run.status}")
    lost = sorted(wanted.keys() - found.keys())
    if run.status != 0:
        return Outcome(REFUSED, f"{len(lost)} of {count} are missing, status {run.status}: {run.message}")
    if lost:
        return Outcome(FALSE_DONE, f"{len(lost)} of {count} are missing, as {lost[0]!r}")
    return passed()
