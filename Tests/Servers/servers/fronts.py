"""Programs in front of nginx, whose files they may keep for a second."""

from server import PASSWORD, USER, Server
from servers.caddy import Caddy
from servers.nginx import Nginx


class Origin(Nginx):
    def directives(self):
        return super().directives() + " add_header Cache-Control max-age=1;"


class Front(Server):
    """Its outages are the proxy's; the origin stays."""

    modes = {"plain", "tls"}

    def __init__(self, site, home, mode, authority):
        super().__init__(site, home, mode, authority)
        self.origin = Origin(site, home / "origin", "plain", authority)

    def start(self):
        if not self.origin.process:
            self.origin.start()
        super().start()

    def close(self):
        super().close()
        self.origin.close()


class HAProxy(Front):
    name, packages = "haproxy, nginx", ("haproxy", "nginx")
    modes = {"plain", "tls", "basic"}

    def prepare(self):
        tls = f"ssl crt {self.authority.both}" if self.mode == "tls" else ""
        asks = "http-request auth unless { http_auth(users) }" if self.mode == "basic" else ""
        (self.home / "conf").write_text(
            "global\n    maxconn 200\ndefaults\n    mode http\n    timeout connect 5s\n    timeout client 30s\n"
            f"    timeout server 30s\nuserlist users\n    user {USER} insecure-password {PASSWORD}\n"
            f"frontend files\n    bind 127.0.0.1:{self.port} {tls}\n    {asks}\n    default_backend origin\n"
            f"backend origin\n    server nginx 127.0.0.1:{self.origin.port}\n"
        )

    def command(self):
        return ["/usr/sbin/haproxy", "-db", "-f", self.home / "conf"]


class Varnish(Front):
    name, packages, modes = "varnish, nginx", ("varnish", "nginx"), {"plain"}

    def command(self):
        place = ["-a", f"127.0.0.1:{self.port}", "-b", f"127.0.0.1:{self.origin.port}"]
        return ["/usr/sbin/varnishd", "-F", "-j", "none", "-n", self.home / "work", "-s", "malloc,128m", *place]


class TrafficServer(Front):
    name, packages, modes = "Traffic Server, nginx", ("trafficserver", "nginx"), {"plain", "tls"}

    def prepare(self):
        for name in ("etc", "cache", "log", "run"):
            (self.home / name).mkdir(exist_ok=True)
            (self.home / name).chmod(0o777)
        settings = {
            "http.server_ports STRING": f"{self.port}:ip-in=127.0.0.1{':ssl' if self.mode == 'tls' else ''}",
            "admin.user_id STRING": "#-1",
            "url_remap.remap_required INT": 1,
            "http.cache.required_headers INT": 0,
            "diags.logfile.filename STRING": "stderr",
        }
        etc = self.home / "etc"
        (etc / "records.config").write_text(
            "".join(f"CONFIG proxy.config.{name} {value}\n" for name, value in settings.items())
        )
        (etc / "ip_allow.yaml").write_text(
            "ip_allow: [{apply: in, ip_addrs: 127.0.0.1, action: allow, methods: ALL}]\n"
        )
        (etc / "remap.config").write_text(f"map / http://127.0.0.1:{self.origin.port}/\n")
        (etc / "storage.config").write_text(f"{self.home}/cache 128M\n")
        authority = self.authority
        (etc / "ssl_multicert.config").write_text(
            f"dest_ip=* ssl_cert_name={authority.certificate} ssl_key_name={authority.key}\n"
        )
        (self.home / "runroot.yaml").write_text(
            "prefix: /usr\nexec_prefix: /usr\nbindir: /usr/bin\nsbindir: /usr/sbin\nlibdir: /usr/lib/trafficserver\n"
            "libexecdir: /usr/lib/trafficserver/modules\n"
            f"sysconfdir: {etc}\ndatadir: {self.home}/cache\nlocalstatedir: {self.home}/run\n"
            f"runtimedir: {self.home}/run\nlogdir: {self.home}/log\ncachedir: {self.home}/cache\n"
        )

    def command(self):
        return ["/usr/bin/traffic_server", f"--run-root={self.home}/runroot.yaml"]


SQUID = """
pid_filename {home}/pid
access_log none
cache_log {home}/cache.log
coredump_dir {home}
cache_mem 96 MB
maximum_object_size_in_memory 64 MB
shutdown_lifetime 0 seconds
visible_hostname localhost
pinger_enable off
logfile_rotate 0
"""


class Squid(Front):
    name, packages, modes = "squid, nginx", ("squid", "nginx"), {"plain"}

    def prepare(self):
        (self.home / "conf").write_text(SQUID.format(home=self.home) + self.rules())

    def rules(self):
        return (
            f"http_port 127.0.0.1:{self.port} accel defaultsite=127.0.0.1 no-vhost\n"
            f"cache_peer 127.0.0.1 parent {self.origin.port} 0 no-query originserver\nhttp_access allow all\n"
        )

    def command(self):
        return ["/usr/sbin/squid", "-N", "-f", self.home / "conf"]


class NginxCache(Front, Nginx):
    """Makes its own requests without ranges, and answers ranges from what it keeps."""

    name, modes = "nginx, nginx", {"plain", "tls", "basic"}

    def directives(self):
        return super().directives() + (
            f" location / {{ proxy_pass http://127.0.0.1:{self.origin.port}; proxy_cache files;"
            " proxy_cache_revalidate on; add_header X-Cache $upstream_cache_status; }"
        )

    def http_directives(self):
        return f"proxy_cache_path {self.home}/cache keys_zone=files:1m;"


class CaddyFront(Front, Caddy):
    name, modes = "Caddy, nginx", {"plain", "tls", "basic"}

    def handler(self):
        return f"reverse_proxy 127.0.0.1:{self.origin.port}"
