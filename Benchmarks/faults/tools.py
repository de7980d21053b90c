"""The tools, their switches and one run of one of them."""

import contextlib
import os
import shlex
import signal
import subprocess
import time

MB = 1_000_000
SIZE = 8_401_234
LIMIT = 40  # seconds for one run
AT_ONCE = 6  # runs; all are slowed down by the server, not by the machine

TOOLS = ["segdl", "aria2", "axel", "curl"]
# The switches for resuming are apart, as in one place they do harm.
COMMANDS = {
    "segdl": "segdl fetch -q -s 4 --low-speed-limit 10k --low-speed-time 5",
    "aria2": "aria2c --no-conf -q -x4 -s4 -k1M --file-allocation=falloc --max-tries=5 --retry-wait=1 --timeout=5"
    " --lowest-speed-limit=10K --auto-save-interval=1",
    "axel": "axel -q -n 4 -T 5",
    "curl": "curl -fsSL --speed-limit 10000 --speed-time 5",
}
RESUME = {"segdl": "", "aria2": "-c", "axel": "", "curl": "-C -"}
AXELRC = "reconnect_delay = 1\nsave_state_interval = 1\n"
LOOP = 'n=0; until {}; do n=$((n+1)); [ $n -lt 6 ] || exit 1; sleep 1; done'
DATA = {"segdl": "out.part", "aria2": "out", "axel": "out", "curl": "out"}
STATE = {"segdl": "out.part.segdl", "aria2": "out.aria2", "axel": "out.st", "curl": None}


class Run:
    """One run of a tool in a session of its own, so that a signal reaches it and its children alone."""

    def __init__(self, bench, tool, url, work, output="-o out", resume=True, before=(), extra=""):
        command = " ".join([COMMANDS[tool], RESUME[tool] if resume else "", output, extra])
        command = command.replace("segdl", bench.segdl, 1) if tool == "segdl" else command
        command = f"{command} {shlex.quote(url)}"
        command = LOOP.format(command) if tool == "curl" else f"exec {command}"
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [*before, "sh", "-c", command], cwd=work, env=bench.environment, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def signal(self, number):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def kill(self):
        self.signal(signal.SIGKILL)
        self.process.wait()

    def wait(self, limit=LIMIT):
        """The exit status, or None if it had to be killed."""
        try:
            status = self.process.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
            self.kill()
        self.seconds = time.monotonic() - self.began
        return status


def rate(tool, total):
    return total if tool == "curl" else total // 4


def shell(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
