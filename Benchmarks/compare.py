#!/usr/bin/env python3
"""Compares segdl with curl and aria2 over loopback nginx: interleaved runs, medians, ratios.

    Benchmarks/compare.py [--runs N] [--only NAME] SEGDL

Server and client share the machine, so CPU seconds (user + system of the client alone) say more than wall time.
Every file is compared with the original. Prints Markdown.
"""

import argparse
import filecmp
import hashlib
import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

MIB = 1024 * 1024

NGINX = """
{user} daemon off; worker_processes 1; pid {home}/pid; error_log {home}/error.log;
events {{ worker_connections 1024; }}
http {{
    access_log off; sendfile on; keepalive_requests 100000;
    client_body_temp_path {home}; proxy_temp_path {home}; fastcgi_temp_path {home};
    uwsgi_temp_path {home}; scgi_temp_path {home};
    server {{ listen 127.0.0.1:{port}; root {home}/www; }}
    server {{ listen 127.0.0.1:{limited}; root {home}/www; limit_rate 20m; }}
    server {{ listen 127.0.0.1:{quarter}; root {home}/www; limit_rate 25000000; }}
}}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A real nginx with a plain port and two that limit each connection."""

    def __init__(self, home):
        self.home = home
        os.mkdir(f"{home}/www")
        self.port, self.limited, self.quarter = free_port(), free_port(), free_port()
        user = "user root;" if os.getuid() == 0 else ""
        with open(f"{home}/nginx.conf", "w") as conf:
            conf.write(NGINX.format(
                home=home, port=self.port, limited=self.limited, quarter=self.quarter, user=user))
        nginx = shutil.which("nginx") or "/usr/sbin/nginx"
        self.process = subprocess.Popen([nginx, "-p", home, "-c", f"{home}/nginx.conf"], stderr=subprocess.DEVNULL)
        while not os.path.exists(f"{home}/pid"):
            time.sleep(0.05)

    def make(self, name, size):
        path = f"{self.home}/www/{name}"
        if not os.path.exists(path):
            with open(path, "wb") as file:
                for _ in range(size // MIB):
                    file.write(random.randbytes(MIB))
        return path

    def url(self, name, port=None):
        return f"http://127.0.0.1:{port or self.port}/{name}"

    def stop(self):
        self.process.terminate()
        self.process.wait()


def run(command, out):
    """One run into a fresh file: wall seconds, CPU seconds, peak memory in MiB."""
    for name in os.listdir(out):
        os.unlink(f"{out}/{name}")
    began = time.monotonic()
    child = subprocess.Popen(command, cwd=out, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.monotonic() - began
    if status != 0:
        sys.exit(f"{command} failed with {status}: {errors.decode()}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def compare(title, server, out, name, size, commands, runs, base):
    original = server.make(name, size)
    figures = {label: [] for label in commands}
    for number in range(runs + 1):
        for label, command in commands.items():
            figure = run(command, out)
            if not filecmp.cmp(original, f"{out}/out", shallow=False):
                sys.exit(f"{label}: wrong content")
            if number > 0:  # the first round warms up
                figures[label].append(figure)
    print(f"\n### {title}\n")
    print(f"| | wall s (min–max) | CPU s (min–max) | peak MiB | wall / {base} | CPU / {base} |")
    print("|---|---|---|---|---|---|")
    middle = {l: [statistics.median(f[i] for f in fs) for i in range(3)] for l, fs in figures.items()}
    for label, fs in figures.items():
        wall, cpu, peak = middle[label]
        spread = [f"{min(f[i] for f in fs):.2f}–{max(f[i] for f in fs):.2f}" for i in range(2)]
        ratios = [middle[label][i] / middle[base][i] for i in range(2)]
        print(
            f"| `{label}` | {wall:.2f} ({spread[0]}) | {cpu:.2f} ({spread[1]}) | {peak:.0f} "
            f"| {ratios[0]:.2f} | {ratios[1]:.2f} |")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("segdl")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", choices=["plain", "limited", "digest", "memory"])
    arguments = parser.parse_args()
    segdl = os.path.abspath(arguments.segdl)
    home = tempfile.mkdtemp()
    out = tempfile.mkdtemp()
    server = Server(home)

    def fetch(url, segments, *more):
        return [segdl, "fetch", "-q", "-s", str(segments), "-o", "out", *more, url]

    def wanted(scenario):
        return arguments.only in (None, scenario)

    try:
        if wanted("plain"):
            url = server.url("1g")
            commands = {
                "curl": ["curl", "-s", "-o", "out", url],
                "segdl -s 4": fetch(url, 4),
                "segdl -s 4 --durability process": fetch(url, 4, "--durability", "process"),
                "segdl -s 16": fetch(url, 16),
            }
            if shutil.which("aria2c"):
                aria2 = ["aria2c", "-q", "-x4", "-s4", "-k1M", "--file-allocation=falloc", "-o", "out", url]
                commands["aria2c -x4 -s4 -k1M"] = aria2
            compare("1 GiB, unlimited", server, out, "1g", 1024 * MIB, commands, arguments.runs, "curl")
        if wanted("limited"):
            url = server.url("240m", server.limited)
            commands = {"segdl -s 1": fetch(url, 1), "segdl -s 8": fetch(url, 8), "segdl": fetch(url, "auto")}
            compare(
                "240 MiB, 20 MiB/s for each connection", server, out, "240m", 240 * MIB, commands, arguments.runs,
                "segdl -s 1")
        if wanted("digest"):
            original = server.make("1g", 1024 * MIB)
            with open(original, "rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            checksum = ["--checksum", f"sha256={digest}"]
            for title, port in [("100 MB/s over four connections", server.quarter), ("unlimited", server.port)]:
                url = server.url("1g", port)
                commands = {
                    "segdl -s 4": fetch(url, 4),
                    "segdl -s 4 --checksum": fetch(url, 4, *checksum),
                    "cp; openssl dgst": ["sh", "-c", f"cp {original} out; openssl dgst -sha256 out"],
                    "cp": ["cp", original, "out"],
                }
                compare(f"SHA-256 of 1 GiB, {title}", server, out, "1g", 1024 * MIB, commands, arguments.runs, "segdl -s 4")
        if wanted("memory"):
            for name, size in [("64m", 64 * MIB), ("8g", 8192 * MIB)]:
                commands = {"segdl -s 16": fetch(server.url(name), 16, "--durability", "process")}
                compare(f"Memory, {name}", server, out, name, size, commands, 2, "segdl -s 16")
    finally:
        server.stop()
        shutil.rmtree(home)
        shutil.rmtree(out)


if __name__ == "__main__":
    main()
