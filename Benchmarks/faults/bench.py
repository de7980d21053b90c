"""The servers and the directory of all runs."""

import os
import shutil
import threading

from server import Server
from tools import AXELRC


class Bench:
    def __init__(self, binaries, home):
        self.segdl = f"{binaries}/segdl"
        self.server = Server(f"{binaries}/TestServer")
        self.other = Server(f"{binaries}/TestServer", "127.0.0.2")
        self.home, self.boot = home, f"{home}/boot"
        self.environment = {"PATH": os.environ["PATH"], "HOME": home, "LANG": "C"}
        self.serial, self.lock = 0, threading.Lock()
        with open(f"{home}/.axelrc", "w") as file:
            file.write(AXELRC)
        with open(self.boot, "w") as file:
            file.write("00000000-1111-2222-3333-444444444444\n")

    def attempt(self, row, tool):
        with self.lock:
            self.serial += 1
            case = f"c{self.serial}"
        work = f"{self.home}/{case}"
        os.mkdir(work)
        try:
            return row(self, tool, work, case)
        finally:
            shutil.rmtree(work)

    def stop(self):
        self.server.stop()
        self.other.stop()
