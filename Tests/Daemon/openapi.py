#!/usr/bin/env python3
"""Holds docs/openapi.yaml against a running daemon: schemathesis makes requests of it, right and wrong ones.

    Tests/Daemon/openapi.py --segdl PATH [--examples N]

It needs schemathesis from PyPI. Without it the one case is left out.
"""

import argparse
import importlib.util
import pathlib
import re
import subprocess
import sys

import outcome
from daemons import SECRET, Segdl, environment, scratch
from outcome import holds

DESCRIPTION = pathlib.Path(__file__).resolve().parents[2] / "docs" / "openapi.yaml"
CHECKS = ("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance",
          "negative_data_rejection", "ignored_auth")


def described(program, home, examples):
    if importlib.util.find_spec("schemathesis") is None:
        raise outcome.LeftOut("schemathesis is missing; Scripts/install-clients installs it")
    daemon = Segdl(program, home, "-j", "1")
    try:
        done = subprocess.run(
            [sys.executable, "-m", "schemathesis.cli", "run", DESCRIPTION, "--url", f"http://127.0.0.1:{daemon.port}",
             "-H", f"Authorization: Bearer {SECRET}", "--max-examples", str(examples), "--checks", ",".join(CHECKS),
             # The stream of events has no end.
             "--exclude-path", "/api/v1/events", "--phases", "examples,coverage,fuzzing", "--seed", "1", "--no-color"],
            cwd=home, env=environment(home), capture_output=True, text=True, timeout=300, check=False)
        print("\n".join(re.findall(r"^.*(?:generated|API Operations|Test cases).*$", done.stdout, re.MULTILINE)))
        holds(done.returncode == 0, (done.stdout + done.stderr)[-6000:])
        holds(daemon.is_running, "the daemon has ended")
    finally:
        daemon.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segdl", type=pathlib.Path, required=True, help="the command")
    parser.add_argument("--examples", type=int, default=20, help="requests of each kind")
    asked = parser.parse_args()
    with scratch() as home:
        case = outcome.Case("the API is as docs/openapi.yaml describes it", described)
        result = outcome.run(case, asked.segdl.resolve(), home, asked.examples)
    sys.exit(outcome.report("openapi", [result]))


if __name__ == "__main__":
    main()
