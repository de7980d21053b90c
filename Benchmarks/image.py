#!/usr/bin/env python3
"""Fetches an image from Debian's docker-registry by `segdl mirror` and by `skopeo copy`, in turn, over a line with a
delay and a limit for each connection.

    Benchmarks/image.py [--segdl PATH] [--runs N] [--mib LAYER] [--round-trip MILLISECONDS] [--rate BYTES]

nginx limits the connections (`limit_rate`), and Benchmarks/scenarios/delay.c delays all bytes. A client sees the layout
of an OCI image; both must have the same blobs.
"""

import argparse
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
NGINX = """
daemon off; pid {home}/nginx.pid; error_log {home}/nginx.log; events {{ worker_connections 1024; }}
http {{
  access_log off; client_body_temp_path {home}/body; proxy_temp_path {home}/proxy;
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://127.0.0.1:{upstream}; proxy_set_header Host $http_host; proxy_http_version 1.1;
      proxy_max_temp_file_size 0; limit_rate {rate};
    }}
  }}
}}
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def blobs(place):
    return {path.name: path.stat().st_size for path in (place / "blobs/sha256").iterdir()}


def timed(command):
    began = time.monotonic()
    end = subprocess.run(command, capture_output=True, text=True, check=False)
    if end.returncode:
        sys.exit(f"{command[0]}: status {end.returncode}: {end.stderr[-2000:]}")
    return time.monotonic() - began


def compare(asked, home, port):
    times = {"segdl": [], "skopeo": []}
    for number in range(asked.runs):
        places = {tool: home / f"{tool}{number}" for tool in times}
        commands = {
            "segdl": [asked.segdl.resolve(), "mirror", "--progress", "none", "--platform", "linux/amd64",
                      f"oci://127.0.0.1:{port}/org/app:v1", places["segdl"]],
            "skopeo": ["skopeo", "copy", "-q", "--insecure-policy", "--src-tls-verify=false", "--override-os", "linux",
                       "--override-arch", "amd64", f"docker://127.0.0.1:{port}/org/app:v1",
                       f"oci:{places['skopeo']}:v1"],
        }
        for tool in sorted(commands, reverse=number % 2 == 1):
            times[tool].append(timed(commands[tool]))
            print(json.dumps({"run": number, "tool": tool, "seconds": round(times[tool][-1], 2)}), flush=True)
        ours, theirs = blobs(places["segdl"]), blobs(places["skopeo"])
        if missing := {name for name in theirs if ours.get(name) != theirs[name]}:
            sys.exit(f"segdl lacks {missing}")
    middle = {tool: statistics.median(found) for tool, found in times.items()}
    print(f"medians of {asked.runs}: segdl {middle['segdl']:.2f} s, skopeo {middle['skopeo']:.2f} s, "
          f"ratio {middle['segdl'] / middle['skopeo']:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segdl", type=pathlib.Path, default=ROOT / ".build/release/segdl")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--mib", type=int, default=128, help="the size of the larger layer")
    parser.add_argument("--round-trip", type=float, default=50)
    parser.add_argument("--rate", type=int, default=8_000_000)
    asked = parser.parse_args()
    started = []
    with tempfile.TemporaryDirectory(prefix="segdl-image-") as directory:
        home = pathlib.Path(directory)
        os.chmod(home, 0o755)
        config = home / "registry.json"
        config.write_text(json.dumps({"real": True, "size": asked.mib << 20}))
        try:
            registry = subprocess.Popen([sys.executable, ROOT / "Tests/RegistryServer/server.py", config], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            started.append(registry)
            upstream, limited = registry.stdout.readline().split()[1], free_port()
            (home / "nginx.conf").write_text(NGINX.format(home=home, port=limited, upstream=upstream, rate=asked.rate))
            started.append(subprocess.Popen(["nginx", "-c", home / "nginx.conf"], stdin=subprocess.PIPE, text=True))
            subprocess.run(["cc", "-O2", "-o", home / "delay", ROOT / "Benchmarks/scenarios/delay.c"], check=True)
            line = subprocess.Popen([home / "delay", "0", str(limited), str(asked.round_trip / 2)], text=True,
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            started.append(line)
            compare(asked, home, line.stdout.readline().split()[1])
        finally:
            for process in reversed(started):
                process.stdin.close()
                process.terminate()
                process.wait()


if __name__ == "__main__":
    main()
