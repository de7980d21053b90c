"""The servers: nginx for all that it can do, and a small one that paces each connection evenly and misbehaves.

nginx lets every answer begin with as much as a second's worth of its limit, so that a client with many short answers
gets more than the limit says, and no schedule can be called ideal. `Paced` has no such gift. Both say what a run cost
them: connections, requests, refused ones, bytes.
"""

import collections
import contextlib
import os
import re
import select
import shutil
import socket
import struct
import subprocess
import threading
import time

Counts = collections.namedtuple("Counts", "connections requests refused bytes")


def wait_until(condition, limit=10):
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


class Authority:
    """A certificate authority of our own, and a certificate of it. axel looks for addresses among the names."""

    def __init__(self, home):
        self.file, self.certificate, self.key = f"{home}/ca.pem", f"{home}/server.pem", f"{home}/server.key"
        curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30"]
        self.openssl("req", "-x509", *curve, "-keyout", f"{home}/ca.key", "-out", self.file, "-subj", "/CN=bench")
        self.openssl("req", *curve, "-keyout", self.key, "-out", f"{home}/server.csr", "-subj", "/CN=127.0.0.1")
        with open(f"{home}/server.ext", "w") as extensions:
            far = ",".join(f"IP:198.18.{number}.1,DNS:198.18.{number}.1" for number in range(3))  # of wire.py
            extensions.write(f"subjectAltName=IP:127.0.0.1,IP:127.0.0.2,DNS:127.0.0.1,{far}\n")
        self.openssl(
            "x509", "-req", "-in", f"{home}/server.csr", "-CA", self.file, "-CAkey", f"{home}/ca.key",
            "-CAcreateserial", "-days", "30", "-out", self.certificate, "-extfile", f"{home}/server.ext")

    @staticmethod
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True)


NGINX = """
{user} daemon off; worker_processes auto; worker_rlimit_nofile 8192; pid {home}/pid; error_log {home}/error.log;
events {{ worker_connections 4096; }}
http {{
    log_format counts '$status $body_bytes_sent';
    sendfile on; keepalive_requests 1000000; root {www};
    client_body_temp_path {home}; proxy_temp_path {home}; fastcgi_temp_path {home};
    uwsgi_temp_path {home}; scgi_temp_path {home};
    server {{
        listen {listen} backlog=4096; {directives}
        access_log {home}/access.log counts;
    }}
    server {{ listen unix:{home}/status; access_log off; location / {{ stub_status; }} }}
}}
"""


class Nginx:
    def __init__(self, home, www, directives="", authority=None, http2=False, address="127.0.0.1", inside=()):
        """`inside` is put before the command: it may bring nginx into a namespace."""
        os.mkdir(home)
        self.home = home
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.base = f"http{'s' if authority else ''}://{address}:{port}"
        self.port = port
        listen = f"{address}:{port}"
        if authority:
            listen += " ssl http2" if http2 else " ssl"
            directives += f" ssl_certificate {authority.certificate}; ssl_certificate_key {authority.key};"
        user = "user root;" if os.getuid() == 0 else ""
        with open(f"{home}/nginx.conf", "w") as file:
            file.write(NGINX.format(home=home, www=www, listen=listen, directives=directives, user=user))
        nginx = shutil.which("nginx") or "/usr/sbin/nginx"
        self.command = [*inside, nginx, "-p", home, "-c", f"{home}/nginx.conf"]
        self.start()

    def start(self):
        self.asked = 0
        self.process = subprocess.Popen(self.command, stderr=subprocess.DEVNULL)
        if not wait_until(lambda: os.path.exists(f"{self.home}/pid") and os.path.getsize(f"{self.home}/pid")):
            with open(f"{self.home}/error.log") as log:
                raise RuntimeError(f"nginx did not start: {log.read()}")

    def url(self, name):
        return f"{self.base}/{name}"

    def status(self):
        """Open connections, connections ever accepted and requests ever begun, this question's own left out."""
        with socket.socket(socket.AF_UNIX) as asking:
            asking.connect(f"{self.home}/status")
            asking.sendall(b"GET / HTTP/1.0\r\n\r\n")
            answer = b""
            while part := asking.recv(4096):
                answer += part
        active, accepted, requests = re.search(
            rb"Active connections: (\d+).*?requests\s+(\d+) \d+ (\d+)", answer, re.DOTALL).groups()
        self.asked += 1
        return int(active) - 1, int(accepted) - self.asked, int(requests) - self.asked

    def begin(self):
        if not self.settle():
            # A client that fell silent has left connections behind.
            self.stop()
            self.start()
        _, self.accepted, self.requests = self.status()
        self.logged = os.path.getsize(f"{self.home}/access.log")

    def settle(self):
        """nginx writes a broken off answer to its log when it notices; then it has no connection left."""
        return wait_until(lambda: self.status()[0] == 0, limit=3)

    def counts(self):
        self.settle()
        _, accepted, requests = self.status()
        with open(f"{self.home}/access.log") as log:
            log.seek(self.logged)
            lines = [line.split() for line in log]
        refused = [line for line in lines if line[0] in ("429", "503")]
        sent = sum(int(count) for status, count in lines if status in ("200", "206"))
        return Counts(accepted - self.accepted, requests - self.requests, len(refused), sent)

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Connection:
    """A connection of `Paced`; its number counts from 1 in each run."""

    def __init__(self, socket, number):
        self.socket, self.number = socket, number


def steady(rate):
    return lambda: lambda connection, elapsed, sent: rate


class Paced:
    """An HTTP/1.1 server, a thread for each connection.

    `rates()` is called before each run, and gives what is then asked every 10 ms, `rate(connection, elapsed, sent)`:
    bytes per second, None for as fast as it goes, 0 for silence. `delay` comes before each head. More than `at_most`
    answers at a time get a 503; with `excess="reset"` it is more than so many connections, and they are reset at once;
    with "silence" they are accepted, and hear nothing until another one ends. Of more than `each_minute` requests the
    further ones get a 429.
    """

    SLICE = 0.01
    FIELDS = (
        "Last-Modified: Wed, 01 Jan 2025 00:00:00 GMT\r\nETag: \"1\"\r\nAccept-Ranges: bytes\r\n"
        "Connection: keep-alive\r\n")  # said by default, but wget2 wants to hear it

    def __init__(self, files, rates=None, delay=0, at_most=None, excess="503", each_minute=None,
                 address="127.0.0.1", listen=socket.create_server):
        self.files = {f"/{file.name}": file for file in files}
        self.rates, self.delay, self.at_most, self.excess = rates or steady(None), delay, at_most, excess
        self.each_minute, self.recent = each_minute, collections.deque()
        self.lock, self.open = threading.Lock(), set()
        self.turn = threading.BoundedSemaphore(at_most) if excess == "silence" else contextlib.nullcontext()
        self.begin()
        self.listener = listen((address, 0), backlog=4096)
        self.base = "http://{}:{}".format(*self.listener.getsockname())
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def url(self, name):
        return f"{self.base}/{name}"

    def begin(self):
        wait_until(lambda: not self.open)
        self.number, self.requests, self.refused, self.sent, self.answering = 0, 0, 0, 0, 0
        self.rate, self.began = self.rates(), time.monotonic()
        self.recent.clear()

    def counts(self):
        wait_until(lambda: not self.open)
        return Counts(self.number, self.requests, self.refused, self.sent)

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for accepted in list(self.open):
            accepted.shutdown(socket.SHUT_RDWR)

    def accept(self):
        while True:
            try:
                accepted, _ = self.listener.accept()
            except OSError:
                return
            accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self.lock:
                self.number += 1
                number = self.number
                if self.excess == "reset" and len(self.open) >= self.at_most:
                    self.refused += 1
                    accepted.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    accepted.close()
                    continue
                self.open.add(accepted)
            connection = Connection(accepted, number)
            threading.Thread(target=self.serve, args=[connection], daemon=True).start()

    def serve(self, connection):
        try:
            with self.turn:
                self.listen_to(connection)
        except OSError:
            pass  # The client has gone, which is its right.
        finally:
            with self.lock:
                self.open.discard(connection.socket)
            connection.socket.close()

    def listen_to(self, connection):
        buffered = b""
        while True:
            while b"\r\n\r\n" not in buffered:
                part = connection.socket.recv(65536)
                if not part:
                    return
                buffered += part
            head, _, buffered = buffered.partition(b"\r\n\r\n")
            self.answer(connection, head.decode("latin-1"))

    def refusal(self):
        """Status and fields of what a request gets instead of an answer, or None."""
        now = time.monotonic()
        while self.recent and self.recent[0] <= now - 60:
            self.recent.popleft()
        if self.each_minute and len(self.recent) >= self.each_minute:
            return f"429 Too Many Requests\r\nRetry-After: {int(self.recent[0] + 60 - now) + 1}"
        self.recent.append(now)
        if self.excess == "503" and self.at_most is not None and self.answering >= self.at_most:
            return "503 Service Unavailable"
        return None

    def answer(self, connection, head):
        method, target, _ = head.split(" ", 2)
        with self.lock:
            self.requests += 1
            refusal = self.refusal()
            self.refused += refusal is not None
            self.answering += refusal is None
        if self.delay:
            time.sleep(self.delay)
        if refusal:
            page = "Too many.\n"
            connection.socket.sendall(f"HTTP/1.1 {refusal}\r\nContent-Length: {len(page)}\r\n\r\n{page}".encode())
            return
        try:
            self.send_file(connection, method, self.files.get(target), head)
        finally:
            with self.lock:
                self.answering -= 1

    def send_file(self, connection, method, file, head):
        if file is None:
            connection.socket.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            return
        asked = re.search(r"\r\nrange: *bytes=(\d+)-(\d*)", head, re.IGNORECASE)
        start = int(asked[1]) if asked else 0
        end = min(int(asked[2]) + 1, file.size) if asked and asked[2] else file.size
        if start >= end:
            connection.socket.sendall(
                f"HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */{file.size}\r\n"
                "Content-Length: 0\r\n\r\n".encode())
            return
        status = "206 Partial Content" if asked else "200 OK"
        extent = f"Content-Range: bytes {start}-{end - 1}/{file.size}\r\n" if asked else ""
        connection.socket.sendall(
            f"HTTP/1.1 {status}\r\nContent-Length: {end - start}\r\n{extent}{self.FIELDS}\r\n".encode())
        if method != "HEAD":
            self.send_body(connection, file, start, end)

    def send_body(self, connection, file, offset, end):
        gone = select.poll()
        gone.register(connection.socket, select.POLLRDHUP)
        allowed, before = 0, time.monotonic()
        while offset < end:
            now = time.monotonic()
            rate = self.rate(connection, now - self.began, self.sent)
            if rate is None:
                allowed = end - offset
            else:
                # What was not used in time is lost, as on a real line.
                allowed = min(allowed + rate * (now - before), rate * 0.1)
            before = now
            count = min(int(allowed), end - offset)
            if count:
                count = file.send(connection.socket, offset, count)
                offset += count
                allowed -= count
                with self.lock:
                    self.sent += count
            if rate is not None and offset < end and gone.poll(self.SLICE * 1000):
                raise ConnectionResetError


class Together:
    """Several servers that one run talks to."""

    def __init__(self, servers):
        self.servers = servers

    def begin(self):
        for server in self.servers:
            server.begin()

    def counts(self):
        return Counts(*map(sum, zip(*(server.counts() for server in self.servers), strict=True)))
