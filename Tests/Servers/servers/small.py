"""Small programs, most of them without a configuration file."""

import pathlib

from server import Server

APPS = pathlib.Path(__file__).resolve().parent.parent / "apps"


class H2O(Server):
    name, packages, modes = "h2o", ("h2o",), {"plain", "tls"}

    def prepare(self):
        listen = {"port": self.port, "host": "127.0.0.1"}
        if self.mode == "tls":
            listen["ssl"] = {"certificate-file": self.authority.certificate, "key-file": self.authority.key}
        conf = [f"listen: {flow(listen)}", "num-threads: 2", "user: root", f"error-log: {self.home}/error.log"]
        paths = {"/": {"file.dir": self.site.root, "file.dirlisting": "ON"}}
        conf.append(f"hosts: {flow({'default': {'paths': paths}})}")
        (self.home / "conf").write_text("\n".join(conf) + "\n")

    def command(self):
        return ["/usr/bin/h2o", "-c", self.home / "conf"]


def flow(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{key}": {flow(item)}' for key, item in value.items()) + "}"
    return f'"{value}"'


class MiniHTTPd(Server):
    name, packages, modes = "mini_httpd", ("mini-httpd",), {"plain", "tls"}

    def command(self):
        tls = ["-S", "-E", self.authority.both] if self.mode == "tls" else []
        place = ["-h", "127.0.0.1", "-p", self.port, "-d", self.site.root]
        return ["/usr/sbin/mini_httpd", "-D", *place, "-u", "root", *tls]


class MicroHTTPd(Server):
    name, packages = "micro_httpd", ("micro-httpd",)

    def command(self):
        return ["python3", APPS / "inetd.py", self.port, "/usr/sbin/micro-httpd", self.site.root]
