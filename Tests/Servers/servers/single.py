"""Servers without a configuration file."""

from server import PASSWORD, REALM, USER, Server, connects


class Busybox(Server):
    name, packages, modes = "busybox httpd", ("busybox",), {"plain", "basic"}
    lacks = {"mirror": "lists no directories"}

    def prepare(self):
        line = f"/:{USER}:{PASSWORD}\n" if self.mode == "basic" else ""
        (self.home / "conf").write_text(line)

    def command(self):
        place = ["-p", f"127.0.0.1:{self.port}", "-h", self.site.root]
        return ["busybox", "httpd", "-f", *place, "-r", REALM, "-c", self.home / "conf"]


class Webfs(Server):
    name, packages, modes = "webfs", ("webfs",), {"plain", "basic"}

    def command(self):
        user = ["-b", f"{USER}:{PASSWORD}"] if self.mode == "basic" else []
        return ["/usr/bin/webfsd", "-F", "-i", "127.0.0.1", "-p", self.port, "-r", self.site.root, *user]


class OpenSSL(Server):
    """Tells no length: the end of the connection is the end of the file, so only close_notify shows a cut."""

    name, packages, modes, first_mode = "openssl s_server", ("openssl",), {"tls"}, "tls"
    lacks = {"mirror": "lists no directories"}

    def command(self):
        here = ["sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", self.site.root]
        pair = ["-cert", self.authority.certificate, "-key", self.authority.key]
        return [*here, "openssl", "s_server", "-quiet", "-WWW", "-accept", f"127.0.0.1:{self.port}", *pair]


class NGHTTPd(Server):
    name, packages = "nghttpd", ("nghttp2-server",)
    lacks = dict.fromkeys(
        ["tar.gz", "list", "resume", "change", "resize", "restart", "mirror"], "nothing comes over HTTP/1.1"
    )

    def answers(self):
        return connects(self.port)

    def command(self):
        return ["nghttpd", "--no-tls", "-a", "127.0.0.1", "-d", self.site.root, self.port]


class PHP(Server):
    name, packages, lacks = "php -S", ("php-cli",), {"mirror": "lists no directories"}

    def command(self):
        return ["php", "-S", f"127.0.0.1:{self.port}", "-t", self.site.root]


class WEBrick(Server):
    name, packages = "WEBrick", ("ruby", "ruby-webrick")

    def command(self):
        place = ["-b", "127.0.0.1", "-p", self.port]
        return ["ruby", "-run", "-e", "httpd", self.site.root, *place]


INETS = """
inets:start(),
{{ok, _}} = inets:start(httpd, [
    {{bind_address, {{127,0,0,1}}}}, {{port, {port}}}, {{server_name, "files"}}, {{server_root, "{home}"}},
    {{document_root, "{root}"}}, {{mime_types, [{{"bin", "application/octet-stream"}}]}},
    {{modules, [mod_alias, mod_get, mod_head]}}]),
receive stop -> ok end.
"""


class Inets(Server):
    name, packages, lacks = "Erlang inets", ("erlang-inets",), {"mirror": "lists no directories"}

    def command(self):
        program = INETS.format(port=self.port, home=self.home, root=self.site.root)
        return ["erl", "-noshell", "-noinput", "-eval", program]
