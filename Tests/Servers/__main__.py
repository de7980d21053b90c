"""Runs segdl against real servers on loopback, and checks bytes and exit statuses.

    Scripts/servers [--segdl PATH] [--core] [--peers] [--markdown FILE] [--case CASE] [SERVER ...]

Prints a line for each server with the result of each case, the reason of each result that is not a pass, and the
counts. Ends with status 1 if a case failed.
"""

import argparse
import concurrent.futures
import pathlib
import signal
import subprocess
import sys
import tempfile

import modules
import page
from authority import Authority
from cases import CASES
from rows import Rows
from server import Server
from servers import CORE, SERVERS
from tools import Tool

ROOT = pathlib.Path(__file__).resolve().parents[2]


def built():
    """The command that was built last, optimized or not."""
    for kind in ("release", "debug"):
        if (program := ROOT / ".build" / kind / "segdl").exists():
            return program
    sys.exit("There is no segdl in .build: build it, or give --segdl.")


def arguments():
    parser = argparse.ArgumentParser(prog="Scripts/servers", description=__doc__.splitlines()[0])
    parser.add_argument("servers", metavar="SERVER", nargs="*", help="names as in the table (all)")
    parser.add_argument("--segdl", type=pathlib.Path, help="the command (.build/release/segdl, or debug)")
    parser.add_argument("--core", action="store_true", help="only nginx, Apache, Caddy, lighttpd and http.server")
    parser.add_argument("--peers", action="store_true", help="the same cases with curl and aria2c")
    parser.add_argument("--markdown", type=pathlib.Path, metavar="FILE", help="also write the table as a page")
    parser.add_argument("--case", action="append", choices=CASES, help="only this case; may be repeated")
    parser.add_argument("--jobs", type=int, default=5, help="servers at the same time (5)")
    return parser.parse_args()


def chosen(asked):
    servers = CORE if asked.core else SERVERS
    wanted = {name.lower() for name in asked.servers}
    if unknown := wanted - {server.name.lower() for server in SERVERS}:
        sys.exit(f"Unknown: {', '.join(sorted(unknown))}. Known: {', '.join(server.name for server in SERVERS)}")
    return [server for server in servers if server.name.lower() in wanted] if wanted else servers


def install(servers, peers):
    packages = {package for server in servers for package in server.packages} | {"curl", "openssl"}
    if peers:
        packages.add("aria2")
    # A server that is not there is skipped, with its reason.
    subprocess.run([ROOT / "Scripts/install-missing", *sorted(packages)], check=False)
    modules.install({module for server in servers for module in server.modules})


def run(asked, servers, segdl, cases):
    """Gives the rows in the order of the servers, and prints each as soon as it is there."""
    with tempfile.TemporaryDirectory(prefix="segdl-servers-") as name:
        home = pathlib.Path(name)
        home.chmod(0o755)
        rows = Rows(home, Authority(home), segdl, asked.peers, cases)
        done = {}
        with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
            try:
                waiting = {pool.submit(rows.row, server): server for server in servers}
                for future in concurrent.futures.as_completed(waiting):
                    done[waiting[future]] = future.result()
                    print(page.line(future.result()), flush=True)
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
                Server.stop_all()
                Tool.kill_all()
    return [done[server] for server in servers]


def main():
    asked = arguments()
    servers = chosen(asked)
    segdl = (asked.segdl or built()).resolve()
    install(servers, asked.peers)
    # The end by a signal is to stop the servers, too.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    cases = {name: CASES[name] for name in asked.case or CASES}
    rows = run(asked, servers, segdl, cases)
    for tool in rows[0].results:
        print(page.counts(rows, tool))
    if asked.markdown:
        version = subprocess.run([segdl, "--version"], capture_output=True, text=True, check=True).stdout.split("\n")[0]
        asked.markdown.write_text(page.page(rows, cases, version))
    sys.exit(any(page.is_failure(outcome) for row in rows for outcome in row.results["segdl"].values()))


if __name__ == "__main__":
    main()
