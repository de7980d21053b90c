"""The test server that misbehaves on request."""

import json
import subprocess
import threading
import urllib.parse
import urllib.request

from tools import SIZE


class Server:
    def __init__(self, binary, address="127.0.0.1"):
        self.process = subprocess.Popen(
            [binary, "--address", address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.base = f"http://{address}:{self.process.stdout.readline().split()[1]}"
        self.truths, self.lock = {}, threading.Lock()

    def url(self, behaviour, case, size=SIZE, **parameters):
        return f"{self.base}/{behaviour}/{size}/out?" + urllib.parse.urlencode(
            {"case": case, **parameters}, quote_via=urllib.parse.quote)

    def ask(self, what, case):
        with urllib.request.urlopen(f"{self.base}/_/{what}?case={case}") as answer:
            return json.load(answer)

    def truth(self, size=SIZE, seed=1):
        with self.lock:
            if (size, seed) not in self.truths:
                with urllib.request.urlopen(f"{self.base}/plain/{size}/out?seed={seed}") as answer:
                    self.truths[size, seed] = answer.read()
            return self.truths[size, seed]

    def stop(self):
        self.process.stdin.close()
        self.process.wait()
