"""All servers, in the order of the table's rows."""

from servers.apache import Apache
from servers.caddy import Caddy
from servers.frameworks import (
    Aiohttp,
    Django,
    Flask,
    Gunicorn,
    RangeServer,
    Tornado,
    Twisted,
    Uvicorn,
    Waitress,
)
from servers.fronts import CaddyFront, HAProxy, NginxCache, Squid, TrafficServer, Varnish
from servers.lighttpd import Lighttpd
from servers.nginx import Nginx
from servers.proxies import ApacheProxy, SquidProxy, Tinyproxy
from servers.python import PythonServer
from servers.single import PHP, Busybox, Inets, NGHTTPd, OpenSSL, Webfs, WEBrick
from servers.small import H2O, MicroHTTPd, MiniHTTPd
from servers.wsgidav import WsgiDAV

CORE = [Nginx, Apache, Caddy, Lighttpd, PythonServer]
FRONTS = [NginxCache, CaddyFront, HAProxy, Varnish, Squid, TrafficServer]
PROXIES = [SquidProxy, ApacheProxy, Tinyproxy]
SMALL = [H2O, MiniHTTPd, MicroHTTPd, Busybox, Webfs, OpenSSL, NGHTTPd, PHP, WEBrick, Inets]
PYTHON = [RangeServer, Aiohttp, Flask, Gunicorn, Django, Waitress, Uvicorn, Tornado, Twisted, WsgiDAV]
SERVERS = [*CORE, *SMALL, *FRONTS, *PROXIES, *PYTHON]
