"""A link of its own between server and client: two network namespaces and a pair of virtual interfaces."""

import os
import subprocess


class Link:
    """The server's end is shaped by a token bucket. Needs root; `missing` says why it cannot be had."""

    ADDRESS = "192.0.2.1"  # reserved for documentation, and never seen outside

    def __init__(self, mbit):
        self.names = [f"segdl-bench-{os.getpid()}-{end}" for end in ("server", "client")]
        server, client = self.names
        try:
            for name in self.names:
                self.ip("netns", "add", name)
            self.ip("link", "add", "bench0", "netns", server, "type", "veth", "peer", "bench1", "netns", client)
            self.ip("-n", server, "address", "add", f"{self.ADDRESS}/30", "dev", "bench0")
            self.ip("-n", client, "address", "add", "192.0.2.2/30", "dev", "bench1")
            for name, interface in zip(self.names, ["bench0", "bench1"], strict=True):
                self.ip("-n", name, "link", "set", "lo", "up")
                self.ip("-n", name, "link", "set", interface, "up")
            self.shape(mbit)
        except BaseException:
            self.stop()
            raise

    @staticmethod
    def ip(*arguments):
        subprocess.run(["ip", *arguments], check=True, capture_output=True)

    @staticmethod
    def missing():
        if os.getuid() != 0:
            return "network namespaces need root"
        probe = ["unshare", "--net", "sh", "-c", "ip link add bench0 type veth peer bench1"
                 " && tc qdisc add dev bench0 root tbf rate 1mbit burst 64kb latency 1ms"]
        tried = subprocess.run(probe, check=False, capture_output=True, text=True)
        return (tried.stderr.strip().rstrip(".") or "no virtual links") if tried.returncode else None

    @property
    def server(self):
        return ["ip", "netns", "exec", self.names[0]]

    @property
    def client(self):
        return ["ip", "netns", "exec", self.names[1]]

    def shape(self, mbit):
        subprocess.run(
            ["tc", "-n", self.names[0], "qdisc", "replace", "dev", "bench0", "root", "tbf", "rate", f"{mbit}mbit",
             "burst", "128kb", "latency", "100ms"], check=True, capture_output=True)

    def stop(self):
        for name in self.names:
            subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)


def payload(mbit):
    """Bytes of a file per second that a link carries: 1448 of the 1514 in each packet."""
    return mbit * 1e6 / 8 * 1448 / 1514
