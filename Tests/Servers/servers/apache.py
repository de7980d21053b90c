import os

from passwords import write_basic, write_digest
from server import REALM, Server

CONFIGURATION = """
ServerRoot {home}
PidFile {home}/pid
ErrorLog {home}/error.log
ServerName localhost
Listen 127.0.0.1:{port}
{loaded}
TypesConfig /dev/null
# The default of long ago, still in many configurations: the browser is to unpack it.
AddEncoding x-gzip .gz
DocumentRoot {root}
<Directory {root}>
    Options Indexes
    IndexOptions FancyIndexing HTMLTable Charset=UTF-8
    {access}
</Directory>
{more}
"""
ALWAYS = ["mpm_event", "authz_core", "authn_core", "authn_file", "authz_user", "auth_basic", "auth_digest"]


def load(*names):
    """Always with the user to become, and with what authentication needs."""
    lines = [f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so" for name in (*ALWAYS, *names)]
    return "\n".join([*lines, "User www-data", "Group www-data"] if os.getuid() == 0 else lines)


def access(server):
    """The directives that say which users may come in."""
    if server.mode == "basic":
        kind, provider = "Basic", f"AuthUserFile {write_basic(server.home)}"
    elif server.mode == "digest":
        kind, provider = "Digest", f"AuthDigestProvider file\nAuthUserFile {write_digest(server.home)}"
    else:
        return "Require all granted"
    return f"AuthType {kind}\nAuthName {REALM}\n{provider}\nRequire valid-user"


class Apache(Server):
    name = "Apache"
    packages = ("apache2-bin",)
    modes = {"plain", "tls", "basic", "digest"}

    def prepare(self):
        loaded = load("dir", "autoindex", "mime", "ssl", "socache_shmcb")
        text = CONFIGURATION.format(
            home=self.home, port=self.port, root=self.site.root, loaded=loaded, access=access(self),
            more=self.encryption(),
        )  # fmt: skip
        (self.home / "conf").write_text(text)

    def encryption(self):
        if self.mode != "tls":
            return ""
        files = f"SSLCertificateFile {self.authority.certificate}\nSSLCertificateKeyFile {self.authority.key}"
        return f"SSLEngine on\n{files}"

    def command(self):
        return ["/usr/sbin/apache2", "-D", "FOREGROUND", "-f", self.home / "conf"]
