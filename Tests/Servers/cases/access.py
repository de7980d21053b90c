"""TLS with an authority of our own, and credentials, of servers and of proxies."""

import dataclasses

from outcome import FAILED, MISSING, NOT_OFFERED, WRONG, Outcome, judge, passed, worst

FILES = ["large.bin", "one.bin"]


def tls(stage):
    if missing := unavailable(stage, "tls"):
        return missing
    with stage.other("tls") as server:
        trusting = (fetch(stage, server, base, name) for base in server.bases for name in FILES)
        unknown = dataclasses.replace(server.access(), cacert=None)
        return worst([*trusting, refusal(stage, server, unknown, 2)])


def basic(stage):
    return credentials(stage, "basic")


def digest(stage):
    return credentials(stage, "digest")


def credentials(stage, mode):
    if missing := unavailable(stage, mode):
        return missing
    with stage.other(mode) as server:
        right = [fetch(stage, server, base, name) for base in server.bases for name in FILES]
        return worst([*right, refusal(stage, server, server.access("wrong"), 3)])


def unavailable(stage, mode):
    if mode not in stage.server.modes:
        return Outcome(NOT_OFFERED, f"it is not set up with {mode} here")
    if not stage.tool.offers(mode):
        return Outcome(MISSING, f"{stage.tool.name} has no option for it")
    return None


def fetch(stage, server, base, name):
    place = stage.place(name)
    return judge(stage.tool.fetch(server.url(name, base), place, server.access()), place, stage.site.read(name))


def refusal(stage, server, access, status):
    """It is right to end with an error here."""
    outcomes = []
    for base in server.bases:
        place = stage.place("one.bin")
        run = stage.tool.fetch(server.url("one.bin", base), place, access)
        if run.status == 0 or place.exists():
            outcomes.append(Outcome(WRONG, f"status {run.status} without the right to it"))
        elif stage.tool.name == "segdl" and (run.status != status or not run.message):
            outcomes.append(Outcome(FAILED, f"status {run.status} instead of {status}, {run.message!r}"))
        else:
            outcomes.append(passed())
    return worst(outcomes)
