import base64
import functools
import subprocess

from server import PASSWORD, USER, Server

CONFIGURATION = """
{{
    admin off
    auto_https off
}}
{scheme}://127.0.0.1:{port} {{
    root * "{root}"
    {more}
    {handler}
}}
"""


@functools.cache
def hashed():
    words = ["caddy", "hash-password", "--plaintext", PASSWORD]
    return base64.b64encode(subprocess.run(words, check=True, capture_output=True).stdout.strip()).decode()


class Caddy(Server):
    name = "Caddy"
    packages = ("caddy",)
    modes = {"plain", "tls", "basic"}

    def prepare(self):
        more = ""
        if self.mode == "tls":
            more = f"tls {self.authority.certificate} {self.authority.key}"
        if self.mode == "basic":
            more = f"basicauth {{\n{USER} {hashed()}\n}}"
        text = CONFIGURATION.format(
            scheme="https" if self.mode == "tls" else "http", port=self.port, root=self.site.root, more=more,
            handler=self.handler(),
        )  # fmt: skip
        (self.home / "conf").write_text(text)

    def handler(self):
        return "file_server browse"

    def environment(self):
        return {"HOME": str(self.home), "XDG_DATA_HOME": str(self.home), "XDG_CONFIG_HOME": str(self.home)}

    def command(self):
        return ["/usr/bin/caddy", "run", "--adapter", "caddyfile", "--config", self.home / "conf"]
