import os

from passwords import write_basic
from server import REALM, Server

CONFIGURATION = """
{user} daemon off; master_process off; pid {home}/pid; error_log {home}/error.log;
events {{ worker_connections 1024; }}
http {{
    access_log {home}/access.log;
    client_body_temp_path {home}/body; proxy_temp_path {home}/proxy; fastcgi_temp_path {home}/fastcgi;
    uwsgi_temp_path {home}/uwsgi; scgi_temp_path {home}/scgi;
    {http} sendfile on; default_type application/octet-stream;
    server {{ listen 127.0.0.1:{port} {listen}; root {root}; autoindex on; {more} }}
}}
"""


class Nginx(Server):
    name = "nginx"
    packages = ("nginx",)
    modes = {"plain", "tls", "basic"}

    def prepare(self):
        text = CONFIGURATION.format(
            user="user root;" if os.getuid() == 0 else "", home=self.home, port=self.port, root=self.site.root,
            listen="ssl" if self.mode == "tls" else "", http=self.http_directives(), more=self.directives(),
        )  # fmt: skip
        (self.home / "conf").write_text(text)

    def http_directives(self):
        return ""

    def directives(self):
        if self.mode == "tls":
            return f"ssl_certificate {self.authority.certificate}; ssl_certificate_key {self.authority.key};"
        if self.mode == "basic":
            return f"auth_basic {REALM}; auth_basic_user_file {write_basic(self.home)};"
        return ""

    def command(self):
        return ["/usr/sbin/nginx", "-p", self.home, "-c", self.home / "conf"]
