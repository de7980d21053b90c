"""What a scenario is made of."""

import dataclasses
import re


class Skipped(Exception):
    """This machine cannot do it; says why."""


@dataclasses.dataclass
class Scenario:
    name: str
    title: str
    about: str
    prepare: object  # Bench -> Setup
    bars: object  # Result -> [Bar]
    main: str = "segdl"  # the contender that the overview shows as segdl
    optional: bool = False  # only when it is asked for


@dataclasses.dataclass
class Bar:
    """A line of the table in issue 5."""

    what: str
    measured: float  # None: not measured
    bar: float
    least: bool = False  # the bar is a lower bound
    unit: str = "×"

    @property
    def met(self):
        if self.measured is None:
            return None
        return self.measured >= self.bar if self.least else self.measured <= self.bar


def best_fixed(result):
    """`auto` against the fixed count that was best here."""
    walls = {label: result.median(label, "wall") for label in result.contenders if re.fullmatch(r"segdl -s \d+", label)}
    walls = {label: wall for label, wall in walls.items() if wall is not None}
    if not walls:
        return []
    best = min(walls, key=walls.get)
    return [Bar(f"wall of `auto` against the best fixed count, `{best[6:]}`", result.ratio("segdl", best, "wall"), 1.1)]
