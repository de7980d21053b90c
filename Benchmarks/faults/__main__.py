"""Points segdl, aria2, axel and a loop of curl at servers that misbehave; kills them, cuts their power, fills the disk.

    python3 Benchmarks/faults [--binaries DIR] [--repeat N] [--only TEXT] [--output FILE]

What each leaves under the final name is compared with the file byte by byte. Prints Markdown. All traffic stays on
127.0.0.1 and 127.0.0.2. Power cut and full disk need root (mount, losetup, unshare); without, their rows are left out.
"""

import argparse
import concurrent.futures
import contextlib
import os
import shutil
import sys
import tempfile

from answers import SERVER_ROWS
from bench import Bench
from local import LOCAL_ROWS, ROOT_ROWS
from names import NAME_ROWS
from outcomes import settle
from page import page
from tools import AT_ONCE, TOOLS, shell


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binaries", help="directory with segdl and TestServer (default: swift build --show-bin-path)")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", help="only the rows with this text in their label", default="")
    parser.add_argument("--output", help="write the page there, too")
    arguments = parser.parse_args()
    binaries = os.path.abspath(arguments.binaries or shell("swift", "build", "--show-bin-path"))
    segdl_version = shell(f"{binaries}/segdl", "--version")
    groups = {"The server": SERVER_ROWS, "Names and credentials": NAME_ROWS, "This side": LOCAL_ROWS}
    rows = {label: row for group in groups.values() for label, row in group.items()
            if arguments.only in label and (os.getuid() == 0 or label not in ROOT_ROWS)}

    home = tempfile.mkdtemp()
    bench = Bench(binaries, home)
    results = {label: {tool: [] for tool in TOOLS} for label in rows}
    try:
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            jobs = {pool.submit(bench.attempt, row, tool): (label, tool)
                    for label, row in rows.items() for tool in TOOLS for _ in range(arguments.repeat)}
            for job in concurrent.futures.as_completed(jobs):
                label, tool = jobs[job]
                outcome = job.result()
                if outcome:
                    results[label][tool].append(outcome)
                    print(f"{label}: {tool}: {outcome}", file=sys.stderr)
    finally:
        bench.stop()
        shutil.rmtree(home)
    for row in results.values():
        settle(row)
    if arguments.output:
        with open(arguments.output, "w") as file, contextlib.redirect_stdout(file):
            page(results, arguments.repeat, groups, segdl_version)
    page(results, arguments.repeat, groups, segdl_version)


if __name__ == "__main__":
    main()
