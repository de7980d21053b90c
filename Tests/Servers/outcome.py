"""The ends that a case of a server can have, and how a fetched file is judged."""

import dataclasses

PASSED = "passed"
WRONG = "WRONG"  # other bytes under a final name, with status 0 or with the promise that they never are there
FALSE_DONE = "FALSE DONE"  # status 0, and something is missing
REFUSED = "refused"  # an error
FAILED = "failed"  # the bytes are right, but the rest is not as promised
MISSING = "missing"  # the tool has no option for it
NOT_OFFERED = "not offered"  # the server or the tool has no such thing
SKIPPED = "skipped"  # could not be tried on this machine

BAD = (WRONG, FALSE_DONE, FAILED)


@dataclasses.dataclass(frozen=True)
class Outcome:
    kind: str
    note: str = ""
    expected: bool = False


def passed(note=""):
    return Outcome(PASSED, note)


def worst(outcomes):
    """The first outcome that is not a pass, else a pass with the first note."""
    outcomes = list(outcomes)
    for kind in (WRONG, FALSE_DONE, FAILED, REFUSED, MISSING):
        for outcome in outcomes:
            if outcome.kind == kind:
                return outcome
    return passed(next((outcome.note for outcome in outcomes if outcome.note), ""))


def judge(run, place, content):
    """Compares what a run left under the final name with the bytes that the server has."""
    found = place.read_bytes() if place.exists() else None
    if found is not None and found != content and run.is_final:
        return Outcome(WRONG, f"{place.name}: {difference(found, content)}, status {run.status}")
    if run.status == 0 and found is None:
        return Outcome(FALSE_DONE, f"{place.name} is not there")
    if run.status != 0:
        return Outcome(REFUSED, f"{place.name}: status {run.status}: {run.message}")
    left = sorted(file.name for file in place.parent.iterdir() if file.name.startswith(place.name + "."))
    return Outcome(FAILED, f"left behind: {', '.join(left)}") if left else passed()


def difference(found, content):
    if len(found) != len(content):
        return f"{len(found):,} instead of {len(content):,} bytes"
    first = next(index for index, (one, other) in enumerate(zip(found, content, strict=True)) if one != other)
    return f"differs from byte {first:,} of {len(content):,} on"
