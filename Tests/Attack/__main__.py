"""Attacks the real command, round after round, and ends with a table. Scripts/attack is the way to start it."""

import argparse
import collections
import os
import pathlib
import signal
import sys
import tempfile
import time
import traceback

from . import kinds
from .disk import usable_systems
from .rounds import Round, Stopped, seed_of

ROOT = pathlib.Path(__file__).resolve().parents[2]


def play(kind, seed, asked, spoiling=None):
    """Plays one round, and returns it."""
    with tempfile.TemporaryDirectory(prefix="segdl-attack-") as home:
        played = Round(kind, seed, asked.segdl, home, asked.usable, spoiling)
        try:
            kinds.KINDS[kind].attack(played)
        except Stopped:
            pass
        except Exception:
            played.fail("attack", traceback.format_exc())
        finally:
            played.close()
    return played


class Tally:
    def __init__(self):
        self.rounds, self.failed, self.seconds = 0, 0, 0.0
        self.hits, self.notes = collections.Counter(), collections.Counter()

    def line(self, kind):
        hits = ", ".join(f"{number:,} {name}" for name, number in sorted(self.hits.items()))
        return f"{kind:12} {self.rounds:6} rounds {self.failed:4} failed {self.seconds:6.0f} s  {hits}"


def run(asked, names):
    """Plays rounds of kinds in turn until the time is over. Returns true if a round has failed."""
    tallies = {name: Tally() for name in names}
    ends = time.monotonic() + asked.minutes * 60
    number = 0
    while number < asked.rounds and (number == 0 or time.monotonic() < ends):
        for name in names:
            if number and time.monotonic() >= ends:
                break
            seed, tally, began = seed_of(asked.seed, name, number), tallies[name], time.monotonic()
            played = play(name, seed, asked)
            tally.rounds += 1
            tally.seconds += time.monotonic() - began
            tally.hits += played.hits
            tally.notes.update(played.notes)
            if played.failures:
                tally.failed += 1
                print(f"FAILED: {name}, round {number + 1}; repeat it: Scripts/attack --seed {seed} {name}")
            for check, text in played.failures:
                print(f"    {check}: {text}", flush=True)
        number += 1
    print()
    for name, tally in tallies.items():
        print(tally.line(name))
    for name, tally in tallies.items():
        for note, times in sorted(tally.notes.items()):
            print(f"{name}: {note} ({times} times)")
    failed = sum(tally.failed for tally in tallies.values())
    print(f"{sum(tally.rounds for tally in tallies.values())} rounds, {failed} failed, seed {asked.seed}")
    return failed > 0


def prove(asked, names):
    """Ruins what each check looks at, and expects the check to fail. Returns true if one does not."""
    unproven = 0
    for name in names:
        for check in kinds.KINDS[name].CHECKS:
            for number in range(12):
                played = play(name, seed_of(asked.seed, name, number), asked, check)
                if played.has_spoiled:
                    break
            fails = [text for failed, text in played.failures if failed == check]
            unproven += not fails
            verdict = f"fails as it should: {fails[0]}" if fails else "DOES NOT FAIL"
            if not played.has_spoiled:
                verdict = "WAS NOT REACHED"
            print(f"{name} {check}: {verdict}"[:200], flush=True)
    print(f"{unproven} checks are unproven")
    return unproven > 0


def main():
    described = "\n".join(f"  {name:12} {kinds.purpose(name)}" for name in kinds.KINDS)
    parser = argparse.ArgumentParser(
        prog="Scripts/attack",
        description=__doc__,
        epilog=f"kinds:\n{described}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("kinds", metavar="KIND", nargs="*", help="the kinds of attack (all)")
    parser.add_argument("--segdl", help="the command (the newest one below .build)")
    parser.add_argument("--seed", type=int, help="repeats the decisions of a run; with one KIND, of one round")
    parser.add_argument("--minutes", type=float, help="ends after the round in which this time is over (5)")
    parser.add_argument("--rounds", type=int, help="at most so many rounds of each kind")
    parser.add_argument("--systems", default="ext4,xfs,btrfs,vfat", help="the file systems of the cuts (%(default)s)")
    parser.add_argument("--prove", action="store_true", help="show for each check that it can fail")
    asked = parser.parse_args()
    if unknown := set(asked.kinds) - set(kinds.KINDS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    if not asked.segdl:
        built = [ROOT / ".build" / name / "segdl" for name in ("release", "debug")]
        built = sorted((path for path in built if path.exists()), key=lambda path: path.stat().st_mtime)
        if not built:
            parser.error("there is no segdl below .build: build it, or name one with --segdl")
        asked.segdl = built[-1]
    asked.segdl = os.path.abspath(asked.segdl)
    if asked.rounds is None:
        asked.rounds = 1 if asked.seed is not None and len(asked.kinds) == 1 and asked.minutes is None else sys.maxsize
    asked.minutes = 5 if asked.minutes is None else asked.minutes
    asked.seed = time.time_ns() >> 10 & 0xFFFFFFFF if asked.seed is None else asked.seed

    # The end by a signal is to unmount, too.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    print(f"seed {asked.seed}, {asked.segdl}", flush=True)
    asked.usable = {}
    names, skipped = [], 0
    wanted = asked.kinds or list(kinds.KINDS)
    if any(kinds.KINDS[name].NEEDS_DISKS for name in wanted):
        asked.usable = usable_systems(asked.systems.split(","))
    for name in wanted:
        if reason := kinds.KINDS[name].obstacle(asked.usable):
            print(f"{name} is not possible here: {reason}", flush=True)
            skipped += 1
        else:
            names.append(name)
    if skipped:
        print(f"{skipped} kinds are skipped", flush=True)
    sys.exit(1 if not names or (prove if asked.prove else run)(asked, names) else 0)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
