"""How a run can end, from good to bad."""

import os
from typing import NamedTuple

from tools import DATA, LIMIT, STATE

# From good to bad. "gave up" is a refusal where another tool, or this one in another run, got the file.
CLASSES = {
    "exact": "exit 0 and the file, byte for byte",
    "exact, other name": "exit 0; the file is there, but under another name than asked for",
    "exact, but an error": "the file, and an exit status that says failure",
    "refused": "exit status not 0, nothing under the final name, and no tool got the file",
    "gave up": "the same, but another tool, or this one in another run, got the file",
    "refused, partial file": "as refused, but a partial file has the final name, with a state file beside it",
    "gave up, partial file": "as gave up, and with that partial file",
    "hung": f"not done after {LIMIT} s",
    "refused, unmarked partial file": "as refused, and nothing tells the partial file from a whole one",
    "gave up, unmarked partial file": "as gave up, and with that",
    "OVERWROTE": "a file of the user that was there before is changed or gone",
    "OUTSIDE": "a file was written outside the directory",
    "LEAKED": "the other host got the Authorization header",
    "WRONG, exit 0": "wrong bytes under the final name, and an exit status that says success",
}
RANK = {name: number for number, name in enumerate(CLASSES)}


class Outcome(NamedTuple):
    name: str
    seconds: float
    note: str = ""


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def classify(tool, work, status, truths):
    content = read(f"{work}/out")
    if status is None:
        return "hung"
    if content in truths:
        return "exact" if status == 0 else "exact, but an error"
    if status == 0:
        others = [read(f"{work}/{name}") for name in os.listdir(work) if name not in ("out", DATA[tool])]
        return "exact, other name" if any(other in truths for other in others) else "WRONG, exit 0"
    if content is None:
        return "refused"
    marked = STATE[tool] and os.path.exists(f"{work}/{STATE[tool]}")
    return "refused, partial file" if marked else "refused, unmarked partial file"


def settle(results):
    """A refusal is giving up if the file could be had."""
    possible = any(o.name.startswith("exact") for outcomes in results.values() for o in outcomes)
    for tool, outcomes in results.items():
        results[tool] = [o._replace(name=o.name.replace("refused", "gave up")) if possible else o for o in outcomes]


def worst(outcomes):
    return max(outcomes, key=lambda o: (RANK[o.name], o.seconds)) if outcomes else None
