"""The table as a page, and as lines for a terminal."""

from outcome import BAD, MISSING, NOT_OFFERED, PASSED, REFUSED, SKIPPED

SHORT = {PASSED: "ok", NOT_OFFERED: "–", MISSING: "no option", SKIPPED: "skipped"}
QUIET = (PASSED, NOT_OFFERED)
# Messages of other tools may be long, and differ in their numbers only at the end.
LONGEST = 120


def is_failure(outcome):
    return outcome.kind in BAD or (outcome.kind == REFUSED and not outcome.expected)


def short(outcome):
    return SHORT.get(outcome.kind, outcome.kind) + ("*" if outcome.expected else "")


def line(row):
    """A line for the server, and the reasons below it."""
    lines = []
    for tool, results in row.results.items():
        shown = "  ".join(f"{case} {short(outcome)}" for case, outcome in results.items())
        lines.append(f"{row.server} · {tool}: {shown}" if len(row.results) > 1 else f"{row.server}: {shown}")
        lines += [f"    {case}: {outcome.kind}: {outcome.note}" for case, outcome in notes(results)]
    return "\n".join(lines)


def notes(results):
    """Each reason once, although a server that did not start has it in every case."""
    seen = set()
    for case, outcome in results.items():
        if outcome.kind not in QUIET and outcome.note not in seen:
            seen.add(outcome.note)
            yield case, outcome


def counts(rows, tool):
    outcomes = [outcome for row in rows for outcome in row.results[tool].values()]
    kinds = [outcome.kind for outcome in outcomes]
    refused = sum(outcome.kind == REFUSED for outcome in outcomes)
    awaited = sum(outcome.expected for outcome in outcomes)
    failed = sum(outcome.kind in BAD for outcome in outcomes)
    return (
        f"{tool}: {kinds.count(PASSED)} passed, {refused} refused ({awaited} of them expected), {failed} failed, "
        f"{kinds.count(SKIPPED)} skipped, {kinds.count(MISSING)} without an option, "
        f"{kinds.count(NOT_OFFERED)} not offered"
    )


def page(rows, cases, version):
    parts = [f"# Real servers\n\n{version}. `Scripts/servers --markdown` writes this page.\n"]
    for tool in rows[0].results:
        parts.append(f"## {tool}\n\n{table(rows, cases, tool)}\n\n{counts(rows, tool)}.\n")
        parts.append(remarks(rows, tool))
    return "\n".join(part for part in parts if part)


def table(rows, cases, tool):
    lines = [f"| | {' | '.join(cases)} |", "|---|" + "---|" * len(cases)]
    for row in rows:
        lines.append(f"| {row.server} | {' | '.join(short(outcome) for outcome in row.results[tool].values())} |")
    return "\n".join(lines)


def remarks(rows, tool):
    """Each reason once, with its servers and cases; what a server does not offer needs none."""
    servers = {}
    for row in rows:
        grouped = {}
        for case, outcome in row.results[tool].items():
            if outcome.note and outcome.kind != NOT_OFFERED:
                grouped.setdefault(outcome.note, []).append(case)
        for note, cases in grouped.items():
            servers.setdefault((", ".join(cases), note[:LONGEST]), []).append(row.server)
    items = [f"- {cases}: {plain(note)} ({'; '.join(names)})" for (cases, note), names in servers.items()]
    return "\n".join(items) + "\n" if items else ""


def plain(note):
    return f"`{note.replace('`', chr(39))}`" if set(note) & set("<>|*_") else note
