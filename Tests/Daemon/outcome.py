"""Cases, and what came of them."""

import dataclasses
import os
import time
import traceback

MOST = 1500  # characters of a fault

# Set to see each case as it ends.
IS_TALKATIVE = bool(os.environ.get("DAEMON_TESTS_VERBOSE"))


class Fault(AssertionError):
    """Something is not as a case expects it."""


class LeftOut(Exception):
    """A case that cannot run here, with its reason."""


def same(got, wanted, what):
    if got != wanted:
        raise Fault(f"{what}: expected {wanted!r:.400}, came {got!r:.400}")


def holds(condition, what):
    if not condition:
        raise Fault(what)


@dataclasses.dataclass
class Case:
    title: str
    run: object
    options: tuple = ()


@dataclasses.dataclass
class Result:
    """`fault` is empty for a case that passed, and `reason` for one that ran."""

    title: str
    fault: str = ""
    reason: str = ""
    seconds: float = 0


class Cases(list):
    """The cases of a file; `@cases("title")` adds a function."""

    def __call__(self, title, *options):
        def add(function):
            self.append(Case(title, function, options))
            return function
        return add


def run(case, *arguments):
    began = time.monotonic()
    result = attempt(case, arguments)
    result.seconds = time.monotonic() - began
    if IS_TALKATIVE:
        print(f"{result.seconds:6.2f} s {case.title}: {result.fault or result.reason or 'passed'}", flush=True)
    return result


def attempt(case, arguments):
    try:
        case.run(*arguments)
    except LeftOut as reason:
        return Result(case.title, reason=str(reason))
    except Fault as fault:
        return Result(case.title, str(fault)[:MOST])
    except Exception as error:
        places = traceback.extract_tb(error.__traceback__)
        place = next((one for one in reversed(places) if "_cases" in one.filename), places[-1])
        return Result(case.title, f"{type(error).__name__}: {str(error)[:MOST]} (line {place.lineno}: {place.line})")
    return Result(case.title)


def report(name, results):
    """Prints what failed and was left out, and the counts; returns the process's status."""
    for result in results:
        if result.fault:
            print(f"failed: {name}: {result.title}\n    {result.fault}")
        elif result.reason:
            print(f"left out: {name}: {result.title}: {result.reason}")
    failed = sum(bool(result.fault) for result in results)
    left = sum(bool(result.reason) for result in results)
    passed = len(results) - failed - left
    print(f"{name}: {passed} passed, {failed} failed{f', {left} left out' if left else ''}", flush=True)
    return int(bool(failed))
