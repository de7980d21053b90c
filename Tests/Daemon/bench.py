"""Runs cases on one target: a daemon that most cases share, and one for each case that changes more than downloads."""

import outcome
from behaviours import BehavingServer
from stand import Stand


class Bench:
    def __init__(self, name, make, home):
        self.name, self.make, self.home = name, make, home
        self.files = BehavingServer()
        self.results, self.called, self.differences = [], set(), {}

    def stand(self, name):
        return Stand(self.make(self.home / name), self.files)

    def run(self, chosen):
        self.shared = self.stand("shared")
        for number, case in enumerate(chosen):
            self.results.append(self.one(case, number))
        self.finish(self.shared)
        self.files.stop()

    def one(self, case, number):
        if "own" not in case.options:
            result = outcome.run(case, self.shared)
            try:
                self.shared.reset()
            except Exception as error:
                result.fault = f"{result.fault} The daemon could not be cleared after it: {error!r}".strip()
                self.shared.daemon.kill()
                self.shared = self.stand(f"after-{number}")
            return result
        own = self.stand(f"own-{number}")
        try:
            return outcome.run(case, own)
        finally:
            self.finish(own)

    def finish(self, stand):
        self.called |= stand.called
        self.differences |= stand.differences
        stand.daemon.stop()
