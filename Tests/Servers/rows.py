"""The results of one server: a row of the table for each tool."""

import dataclasses
import shutil
import traceback

from content import Site
from expected import EXPECTED
from outcome import FAILED, NOT_OFFERED, PASSED, REFUSED, SKIPPED, Outcome
from peers import Aria2, Curl
from server import DidNotStart, ends
from stage import Stage
from tools import Segdl


@dataclasses.dataclass
class Row:
    server: str
    results: dict  # of tools: of cases: outcomes


class Rows:
    def __init__(self, home, authority, segdl, peers, cases):
        self.home, self.authority, self.segdl, self.peers, self.cases = home, authority, segdl, peers, cases

    def row(self, kind):
        home = self.home / kind.name.replace(" ", "-")
        home.mkdir()
        home.chmod(0o755)
        segdl, curl = Segdl(self.segdl, home), Curl("curl", home)
        tools = [segdl, curl, Aria2("aria2c", home)] if self.peers else [segdl]
        server = None
        try:
            server = kind(Site(home / "root"), home / "server", kind.first_mode, self.authority)
            server.start()
            results = {tool.name: {} for tool in tools}
            for name, case in self.cases.items():
                for tool in tools:
                    results[tool.name][name] = self.result(name, case, Stage(tool, server, home), curl)
        except (DidNotStart, OSError) as error:
            skipped = Outcome(SKIPPED, f"it did not start: {error}")
            results = {tool.name: dict.fromkeys(self.cases, skipped) for tool in tools}
        finally:
            if server:
                server.close()
            # The next servers need the room.
            shutil.rmtree(home)
        return Row(kind.name, results)

    def result(self, name, case, stage, curl):
        if ends.is_set():
            return Outcome(SKIPPED, "the run ends")
        if reason := stage.server.lacks.get(name):
            return Outcome(NOT_OFFERED, reason)
        outcome = self.attempt(case, stage)
        if stage.tool.name != "segdl":
            return outcome
        reason, phrase = EXPECTED.get((stage.server.name, name), (None, None))
        if outcome.kind == REFUSED:
            if reason and phrase in outcome.note:
                return dataclasses.replace(outcome, note=f"{reason} ({outcome.note})", expected=True)
            other = self.attempt(case, Stage(curl, stage.server, stage.home))
            beside = "curl succeeds" if other.kind == PASSED else f"curl: {other.kind}, {other.note}"
            return dataclasses.replace(outcome, note=f"{outcome.note} [{beside}]")
        if reason and outcome.kind == PASSED:
            return Outcome(FAILED, "passes now: take it out of expected.py")
        return outcome

    def attempt(self, case, stage):
        """A case that breaks the server must not take the other cases with it."""
        try:
            return case(stage)
        except DidNotStart as error:
            return Outcome(SKIPPED, f"the server did not start: {error}")
        except Exception:
            return Outcome(FAILED, "the case itself: " + traceback.format_exc().strip().replace("\n", " | ")[-600:])
