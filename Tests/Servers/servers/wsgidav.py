import json

from modules import PYTHON
from server import PASSWORD, USER
from servers.frameworks import Framework


class WsgiDAV(Framework):
    name, modules = "WsgiDAV", ("wsgidav", "cheroot")
    modes = {"plain", "tls", "basic", "digest"}

    def prepare(self):
        is_open = self.mode not in ("basic", "digest")
        settings = {
            "host": "127.0.0.1",
            "port": self.port,
            "provider_mapping": {"/": {"root": str(self.site.root), "readonly": True}},
            "simple_dc": {"user_mapping": {"*": True if is_open else {USER: {"password": PASSWORD}}}},
            "http_authenticator": {
                "accept_basic": self.mode != "digest",
                "accept_digest": self.mode == "digest",
                "default_to_digest": self.mode == "digest",
            },
            "verbose": 1,
        }
        if self.pair:
            settings |= {"ssl_certificate": str(self.pair[0]), "ssl_private_key": str(self.pair[1])}
            settings["ssl_adapter"] = "builtin"
        (self.home / "conf.json").write_text(json.dumps(settings))

    def command(self):
        return [PYTHON.parent / "wsgidav", "--config", self.home / "conf.json"]
