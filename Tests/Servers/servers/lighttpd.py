from passwords import write_digest, write_plain
from server import REALM, Server

CONFIGURATION = """
server.document-root = "{root}"
server.port = {port}
server.bind = "127.0.0.1"
server.errorlog = "{home}/error.log"
server.modules = ("mod_auth", "mod_authn_file", "mod_dirlisting", "mod_openssl")
mimetype.assign = ("" => "application/octet-stream")
dir-listing.activate = "enable"
dir-listing.encoding = "utf-8"
{more}
"""
REQUIRED = """
auth.backend = "{backend}"
auth.backend.{backend}.userfile = "{file}"
auth.require = ("/" => ("method" => "{mode}", "realm" => "{realm}", "require" => "valid-user"))
"""


class Lighttpd(Server):
    name = "lighttpd"
    packages = ("lighttpd", "lighttpd-mod-openssl")
    modes = {"plain", "tls", "basic", "digest"}

    def prepare(self):
        more = ""
        if self.mode == "tls":
            more = f'ssl.engine = "enable"\nssl.pemfile = "{self.authority.both}"'
        if self.mode == "basic":
            more = REQUIRED.format(backend="plain", file=write_plain(self.home), mode="basic", realm=REALM)
        if self.mode == "digest":
            more = REQUIRED.format(backend="htdigest", file=write_digest(self.home), mode="digest", realm=REALM)
        (self.home / "conf").write_text(
            CONFIGURATION.format(root=self.site.root, port=self.port, home=self.home, more=more)
        )

    def command(self):
        return ["/usr/sbin/lighttpd", "-D", "-f", self.home / "conf"]
