"""Forward proxies: the URLs are those of an nginx, with and without TLS."""

import urllib.parse

from passwords import write_basic, write_digest
from server import PASSWORD, REALM, USER, Access, connects
from servers.apache import access, load
from servers.fronts import SQUID, Front, Origin


class Forward(Front):
    modes = {"plain", "tls", "basic", "digest"}

    def __init__(self, site, home, mode, authority):
        super().__init__(site, home, mode, authority)
        self.secure = Origin(site, home / "secure", "tls", authority)

    def start(self):
        if self.mode != "plain" and not self.secure.process:
            self.secure.start()
        super().start()

    def close(self):
        super().close()
        self.secure.close()

    @property
    def base(self):
        return self.bases[0]

    @property
    def bases(self):
        """Credentials are asked for plain requests and for tunnels alike."""
        chosen = {"plain": [self.origin], "tls": [self.secure]}.get(self.mode, [self.origin, self.secure])
        return [origin.base for origin in chosen]

    def answers(self):
        """It is the proxy's own port that matters, and it has no TLS."""
        return connects(self.port)

    def access(self, password=PASSWORD):
        user = f"{USER}:{urllib.parse.quote(password, safe='')}@" if self.mode in ("basic", "digest") else ""
        scheme = "digest" if self.mode == "digest" else "basic"
        cacert = str(self.authority.file) if self.mode != "plain" else None
        return Access(cacert=cacert, scheme=scheme, proxy=f"http://{user}127.0.0.1:{self.port}")


class SquidProxy(Forward):
    name, packages = "squid as proxy", ("squid", "nginx")

    def prepare(self):
        rules = f"http_port 127.0.0.1:{self.port}\n"
        if self.mode in ("basic", "digest"):
            rules += f"auth_param {self.mode} program {self.helper()}\nauth_param {self.mode} realm {REALM}\n"
            rules += "acl known proxy_auth REQUIRED\nhttp_access allow known\nhttp_access deny all\n"
        else:
            rules += "http_access allow all\n"
        (self.home / "conf").write_text(SQUID.format(home=self.home) + rules)

    def helper(self):
        if self.mode == "digest":
            return f"/usr/lib/squid/digest_file_auth -c {write_digest(self.home)}"
        return f"/usr/lib/squid/basic_ncsa_auth {write_basic(self.home)}"

    def command(self):
        return ["/usr/sbin/squid", "-N", "-f", self.home / "conf"]


APACHE = """
ServerRoot {home}
PidFile {home}/pid
ErrorLog {home}/error.log
ServerName localhost
Listen 127.0.0.1:{port}
{loaded}
ProxyRequests On
AllowCONNECT 0-65535
<Proxy *>
    {access}
</Proxy>
"""


class ApacheProxy(Forward):
    name, packages = "Apache as proxy", ("apache2-bin", "nginx")

    def prepare(self):
        loaded = load("proxy", "proxy_http", "proxy_connect")
        text = APACHE.format(home=self.home, port=self.port, loaded=loaded, access=access(self))
        (self.home / "conf").write_text(text)

    def command(self):
        return ["/usr/sbin/apache2", "-D", "FOREGROUND", "-f", self.home / "conf"]


class Tinyproxy(Forward):
    name, packages, modes = "tinyproxy", ("tinyproxy-bin", "nginx"), {"plain", "tls"}

    def prepare(self):
        text = f"Port {self.port}\nListen 127.0.0.1\nMaxClients 100\nTimeout 60\n"
        (self.home / "conf").write_text(text)

    def command(self):
        return ["/usr/bin/tinyproxy", "-d", "-c", self.home / "conf"]
