"""What a scenario is made of."""

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING

from contenders import SWEEP

if TYPE_CHECKING:
    from measure import Result, Setup


class Skipped(Exception):
    """This machine cannot do it; says why."""


@dataclasses.dataclass
class Scenario:
    name: str
    title: str
    about: str
    prepare: "Callable[[object], Setup]"  # given the bench of this run
    bars: "Callable[[Result], list[Bar]]"
    main: str = "segdl"  # the contender that the overview shows as segdl
    optional: bool = False  # only when it is asked for


@dataclasses.dataclass
class Bar:
    """A line of the table of bars."""

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
    """`auto` against the fixed count that was best here, and against the best of those that it may use by default."""
    bars = []
    for most, more in ((16, ""), (8, " of at most 8, `auto`'s cap for a host")):
        walls = {f"segdl -s {n}": result.median(f"segdl -s {n}", "wall") for n in SWEEP if n <= most}
        walls = {label: wall for label, wall in walls.items() if wall is not None}
        if walls:
            best = min(walls, key=walls.get)
            what = f"wall of `auto` against the best fixed count{more}: `{best[6:]}`"
            bars.append(Bar(what, result.ratio("segdl", best, "wall"), 1.1))
    return bars if len({bar.measured for bar in bars}) > 1 else bars[:1]


def cost_of_many(result):
    """What many connections cost more than few: CPU time, and bytes that are sent twice because of cuts."""
    bars = []
    ratio = result.ratio("segdl -s 16", "segdl -s 4", "cpu")
    if ratio is not None:
        bars.append(Bar("CPU of `segdl -s 16` against `segdl -s 4`", ratio, 1.3))
    for label in ("segdl", "segdl -s 4", "segdl -s 16"):
        twice = result.median(label, "twice")
        if twice is not None:
            share = 100 * twice / result.contenders[label]["size"]
            bars.append(Bar(f"bytes of `{label}` sent twice", share, 1.0, unit=" %"))
    return bars
