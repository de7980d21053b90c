#!/usr/bin/env python3
"""Runs `segdl serve` as systemd and its owner do: signals, sockets, notifications, secrets.

    Tests/Daemon/service.py --segdl PATH
"""

import argparse
import contextlib
import http.client
import json
import os
import pathlib
import signal
import socket
import ssl
import stat
import subprocess
import sys

import outcome
import rpc
from behaviours import BehavingServer, content
from daemons import SECRET, Segdl, environment, free_port, scratch, until
from outcome import holds, same
from wsclient import WebSocket

cases = outcome.Cases()
LONG = "a-secret-that-is-long-enough-for-others"


class Home:
    """The program, and a directory that the case has for itself."""

    def __init__(self, program, path, files):
        self.program, self.path, self.files = program, path, files

    def command(self, *options):
        return [self.program, "serve", "-d", self.path, "--queue", self.path / "queue.sqlite", *options]

    def refusal(self, *options):
        """Returns the status and the words of a daemon that does not begin."""
        done = subprocess.run(self.command(*options), capture_output=True, text=True, timeout=120, check=False,
                              env=environment(self.path), stdin=subprocess.DEVNULL)
        return done.returncode, done.stderr

    @contextlib.contextmanager
    def process(self, *options, prefix=(), **how):
        """A daemon whose start the case watches itself."""
        with open(self.path / "output", "wb") as output:
            process = subprocess.Popen([*prefix, *self.command(*options)], stdout=output, stderr=output,
                                       stdin=subprocess.DEVNULL, **{"env": environment(self.path), **how})
        try:
            yield process
        finally:
            process.terminate()
            process.wait(20)

    def output(self):
        return (self.path / "output").read_text()

    @contextlib.contextmanager
    def daemon(self, *options, **more):
        daemon = Segdl(self.program, self.path, *options, **more)
        try:
            yield daemon
        finally:
            daemon.stop()


def version(port, secret=SECRET):
    return rpc.post(port, rpc.request("aria2.getVersion", [f"token:{secret}"]))


class LocalConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path):
        super().__init__("localhost")
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(str(self.path))


@cases("TERM ends with status 0, and the next start resumes with the same gid")
def resumes(home):
    size = 3_000_000
    with home.daemon() as daemon:
        call = rpc.Caller(daemon.port, SECRET)
        gid = call("addUri", [home.files.url(f"slow/1000000/{size}/a.bin")], {"split": "1"})
        until(lambda: int(call("tellStatus", gid)["completedLength"]) > 500_000, lambda: "no bytes came")
        call.close()
        same(daemon.stop(), 0, "status")
        daemon.start()
        call = rpc.Caller(daemon.port, SECRET)
        until(lambda: call("tellStatus", gid)["status"] == "complete", lambda: call("tellStatus", gid))
        call.close()
        same((daemon.directory / "a.bin").read_bytes(), content(size), "a.bin")
        holds(any("Range" in fields and not fields["Range"].startswith("bytes=0-")
                  for fields in home.files.asked("a.bin")), "no request asked for the rest alone")


@cases("HUP rereads the secret, and keeps the old one if the file has none")
def rereads(home):
    file = home.path / "secret"
    file.write_text("first\n")
    with home.daemon("--rpc-secret-file", file, secret="") as daemon:
        same(version(daemon.port, "first").status, 200, "the first secret")
        file.write_text("second\n")
        daemon.process.send_signal(signal.SIGHUP)
        until(lambda: version(daemon.port, "second").status == 200, lambda: "the second secret is not known")
        same(version(daemon.port, "first").status, 400, "the first secret afterwards")
        file.write_text("\n")
        daemon.process.send_signal(signal.SIGHUP)
        until(lambda: "The old secret remains" in daemon.words(), daemon.words)
        same(version(daemon.port, "second").status, 200, "the second secret afterwards")


@cases("a secret made at random is in a file that its owner alone reads, and not in a log")
def random_secret(home):
    with home.daemon(secret="") as daemon:
        daemon.stop()
        daemon.start()
        file = home.path / "queue.sqlite.secret"
        same(stat.S_IMODE(file.stat().st_mode), 0o600, "mode")
        secret = file.read_text().strip()
        same(version(daemon.port, secret).status, 200, "status with it")
        same(version(daemon.port, "").status, 400, "status without")
        told = rpc.exchange(daemon.port, "GET", "/api/v1/status", None, {}).body["error"]
        same(told["secretFile"], str(file), "the file that the page names")
        holds(secret not in "".join(daemon.output), "a later start has printed the secret")
        until(lambda: len(daemon.output) > 1, lambda: daemon.output)
        same(daemon.output[1], f"The page prompts for the secret: it is the first line of {file}.", "the second line")


@cases("a log names the place of a secret of the user's own, and not the secret")
def named_secret(home):
    file = home.path / "own"
    file.write_text("of-my-own\n")
    words = "The page prompts for the secret: it is"
    for options, place in ((("--rpc-secret-file", file), f"the first line of {file}"),
                           (("--rpc-secret", "of-my-own"), "the value of --rpc-secret or $SEGDL_RPC_SECRET")):
        with home.daemon(*options, secret="") as daemon:
            until(lambda: len(daemon.output) > 1, lambda: daemon.output)
            same(daemon.output[1], f"{words} {place}.", "the second line")
            holds("of-my-own" not in "".join(daemon.output), "the log has the secret")


@cases("the end says what the next start does, and names no other command")
def farewell(home):
    with home.daemon() as daemon:
        call = rpc.Caller(daemon.port, SECRET)
        gid = call("addUri", [home.files.url("slow/1000000/90000000/a.bin")], {"split": "1"})
        call("addUri", [home.files.url("missing")], {"out": "b", "pause": "true"})
        until(lambda: call("tellStatus", gid)["status"] == "active", lambda: "it does not run")
        call.close()
        daemon.stop()
        words = daemon.words()
        holds("The same segdl serve command resumes 1 download; 1 paused remains so until Resume or "
              "Retry is pressed on the page." in words, words)
        holds("queue start" not in words and "queue resume" not in words, words)


@cases("/api/v1 adds a link once, and orders the list for people")
def once(home):
    with home.daemon("-j", "1") as daemon:
        def ask(method, path, body=None):
            answer = rpc.exchange(daemon.port, method, f"/api/v1/{path}", body and json.dumps(body),
                                  {"Authorization": f"Bearer {SECRET}", "Content-Type": "application/json"})
            same(answer.status, 200, f"{path}: {answer.body}")
            return answer.body

        def add(*downloads):
            return ask("POST", "downloads", {"downloads": list(downloads)})["results"]

        url = home.files.url("file/1000/a.bin")
        [done] = add({"url": url})
        until(lambda: ask("GET", "downloads?state=done")["total"] == 1, lambda: ask("GET", "downloads"))
        # Its scheme in capitals is the same URL (RFC 3986, 6.2.2.1).
        again = add({"url": url, "headers": []}, {"url": url.replace("http", "HTTP")},
                    {"url": url, "directory": str(daemon.directory)})
        same([one["download"]["id"] for one in again], [done["download"]["id"]] * 3, "ids")
        same([one.get("isThere") for one in (done, *again)], [None, True, True, True], "isThere")
        others = add({"url": url, "name": "b.bin", "paused": True}, {"url": url, "headers": ["A: b"], "paused": True},
                     {"url": f"{url}?2", "paused": True})
        holds(not any("isThere" in one for one in others), others)
        ids = [one["download"]["id"] for one in (*others, done)]
        same([one["id"] for one in ask("GET", "downloads?order=work")["downloads"]], ids, "the order of work")
        part = ask("GET", f"downloads?order=work&limit=3&around={ids[3]}")
        same((part["offset"], [one["id"] for one in part["downloads"]]), (3, ids[3:]), "the part around the last one")
        [secured] = add({"url": url.replace("://", "://me:password@"), "paused": True})
        holds("download" in secured and "isThere" not in secured, secured)
        [again] = add({"url": url.replace("://", "://me:password@"), "paused": True})
        same((again["download"]["id"], again.get("isThere")), (secured["download"]["id"], True), "with its password")


@cases("a Unix socket answers, its owner alone connects, and a kill does not leave it unusable")
def local(home):
    path = home.path / "socket"

    def answer():
        connection = LocalConnection(path)
        try:
            connection.request("POST", "/jsonrpc", json.dumps(rpc.request("aria2.getVersion", [f"token:{SECRET}"])))
            return json.loads(connection.getresponse().read())
        except OSError:
            return None
        finally:
            connection.close()

    for _ in range(2):
        with home.process("--listen", f"unix:{path}", "--rpc-secret", SECRET) as process:
            holds("version" in until(answer, home.output)["result"], "no version")
            same(stat.S_IMODE(path.stat().st_mode) & 0o022, 0, "others' right to connect")
            process.kill()


def activated(home, listener, *options):
    """A daemon that gets a listening socket as systemd passes it: descriptor 3, told in the environment."""
    start = ["sh", "-c", f'exec 3<&{listener.fileno()}; LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"', "sh"]
    return home.process(*options, prefix=start, pass_fds=[listener.fileno()])


@cases("systemd's socket is used")
def passed(home):
    with socket.create_server(("127.0.0.1", 0)) as listener, activated(home, listener, "--rpc-secret", SECRET):
        same(version(listener.getsockname()[1]).status, 200, "status")


@cases("systemd's socket that others can reach needs a long secret, as any other")
def passed_to_others(home):
    with (socket.create_server(("0.0.0.0", 0)) as listener,
          activated(home, listener, "--rpc-secret", "short") as process):
        same(process.wait(20), 64, "status")
        holds("Other machines can reach" in home.output(), home.output())


@cases("systemd is told of the start, of life, and of the end")
def notified(home):
    path = home.path / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as inbox:
        inbox.bind(str(path))
        inbox.settimeout(20)
        names = {**environment(home.path), "NOTIFY_SOCKET": str(path), "WATCHDOG_USEC": "100000"}
        with home.process("--listen", "127.0.0.1:0", env=names) as process:
            same(inbox.recv(100), b"READY=1", "the first message")
            holds("Page: http://127.0.0.1:" in home.output(), "it was ready before it listened")
            same(inbox.recv(100), b"WATCHDOG=1", "the second message")
            process.terminate()
            while (message := inbox.recv(100)) == b"WATCHDOG=1":
                pass
            same(message, b"STOPPING=1", "the last message")
            same(process.wait(20), 0, "status")


@cases("a second daemon of one queue, and a port that is in use, are refused with words")
def refused(home):
    with home.daemon() as daemon:
        status, words = home.refusal("--listen", "127.0.0.1:0")
        holds(status and f"is already open, in process {daemon.process.pid}; use that one" in words,
              f"a second daemon: {status}: {words}")
        other = home.path / "other"
        other.mkdir()
        status, words = Home(home.program, other, None).refusal("--listen", f"127.0.0.1:{daemon.port}")
        told = (f"Cannot listen on 127.0.0.1:{daemon.port}: Address already in use. If segdl serve runs there already, "
                f"open http://127.0.0.1:{daemon.port}/; otherwise stop the program that uses it")
        holds(status and told in words and "--listen" in words, f"the port: {status}: {words}")


@cases("an address that others can reach needs a long secret")
def short(home):
    status, words = home.refusal("--listen", "0.0.0.0:0", "--rpc-secret", "short")
    holds(status == 64 and "Other machines can reach" in words, f"{status}: {words}")
    with home.process("--listen", "0.0.0.0:0", "--rpc-secret", LONG):
        until(lambda: "Page: " in home.output(), home.output)


def certificate(home, name):
    """Makes a certificate for 127.0.0.1, and returns the options that name it."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2",
                    "-keyout", home.path / "key.pem", "-out", home.path / "cert.pem"], check=True, capture_output=True)
    return ["--certificate", home.path / "cert.pem", "--private-key", home.path / "key.pem"]


def encrypted(port, context):
    return context.wrap_socket(socket.create_connection(("127.0.0.1", port), 10), server_hostname="127.0.0.1")


def common_name(port):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with encrypted(port, context) as connection:
        der = connection.getpeercert(binary_form=True)
    text = subprocess.run(["openssl", "x509", "-inform", "DER", "-noout", "-subject"], input=der, check=True,
                          capture_output=True).stdout.decode()
    return text.strip().rsplit("=", 1)[1].strip()


@cases("with a certificate it speaks HTTPS alone, to HTTP and WebSocket clients")
def https(home):
    with home.daemon(*certificate(home, "first")) as daemon:
        holds(daemon.page.startswith("https://127.0.0.1:"), daemon.page)
        context = ssl.create_default_context(cafile=home.path / "cert.pem")
        connection = http.client.HTTPSConnection("127.0.0.1", daemon.port, timeout=120, context=context)
        gid = None
        for method, params in (("addUri", [[home.files.url("file/200000/a.bin")]]), ("tellStatus", None)):
            body = json.dumps(rpc.request(f"aria2.{method}", [f"token:{SECRET}", *(params or [gid])]))
            connection.request("POST", "/jsonrpc", body, {"Origin": f"https://127.0.0.1:{daemon.port}"})
            answer = connection.getresponse()
            gid = json.loads(answer.read())["result"]
            same(answer.status, 200, "status")
        connection.request("GET", "/")
        holds(b"<title>" in connection.getresponse().read(), "no page")
        connection.close()
        with encrypted(daemon.port, context) as raw, WebSocket(daemon.port, connected=raw) as channel:
            answer = channel.ask(rpc.request("aria2.getVersion", [f"token:{SECRET}"]))
            holds("version" in answer["result"], answer)
        with contextlib.suppress(OSError, http.client.HTTPException):
            holds(version(daemon.port).status >= 400, "HTTP without TLS was answered")
        old = subprocess.run(["openssl", "s_client", "-tls1_1", "-cipher", "ALL:@SECLEVEL=0", "-connect",
                              f"127.0.0.1:{daemon.port}"], input=b"", capture_output=True, check=False)
        holds(b"protocol version" in old.stderr, f"TLS 1.1: {old.stderr!r:.300}")


@cases("segdl queue --remote trusts a daemon's own certificate with --cacert alone")
def remote_https(home):
    def listed(*options):
        return subprocess.run([home.program, "queue", "list", "--remote", daemon.page, *options], text=True,
                              env={**os.environ, "SEGDL_RPC_SECRET": SECRET}, capture_output=True, check=False)

    with home.daemon(*certificate(home, "first")) as daemon:
        refused = listed()
        holds(refused.returncode and "--cacert FILE" in refused.stderr, f"without: {refused}")
        same(listed("--cacert", home.path / "cert.pem").returncode, 0, "with its certificate")


@cases("aria2c's --rpc-secure speaks TLS with its files in PEM")
def as_aria2c(home):
    options, port = certificate(home, "first"), free_port()
    process = subprocess.Popen(
        [home.program, "aria2c", "--enable-rpc", f"--rpc-listen-port={port}", "--rpc-secure", "--rpc-certificate",
         options[1], "--rpc-private-key", options[3], "--dir", home.path, "--quiet"],
        env=environment(home.path), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        def name():
            try:
                return common_name(port)
            except OSError:
                return ""
        until(lambda: name() == "first", lambda: "no certificate")
    finally:
        process.terminate()
        process.wait(20)


@cases("HUP rereads the certificate, and keeps the old one if the new one cannot be used")
def new_certificate(home):
    with home.daemon(*certificate(home, "first")) as daemon:
        same(common_name(daemon.port), "first", "name")
        certificate(home, "second")
        daemon.process.send_signal(signal.SIGHUP)
        until(lambda: common_name(daemon.port) == "second", daemon.words)
        (home.path / "cert.pem").write_text("not a certificate\n")
        daemon.process.send_signal(signal.SIGHUP)
        until(lambda: "The old certificate remains" in daemon.words(), daemon.words)
        same(common_name(daemon.port), "second", "name afterwards")


@cases("a certificate that cannot be used is named before anything runs")
def unusable(home):
    options = certificate(home, "first")
    status, words = home.refusal(*options[:2])
    holds(status == 64 and "--private-key" in words, f"one without the other: {status}: {words}")
    (home.path / "key.pem").write_text("no key\n")
    status, words = home.refusal("--listen", "127.0.0.1:0", *options)
    holds(status and "key.pem'" in words, f"a broken key: {status}: {words}")
    status, words = home.refusal("--listen", "127.0.0.1:0", "--certificate", home.path / "no", *options[2:])
    holds(status and "no'" in words, f"a missing file: {status}: {words}")


def unit(home):
    """The lines of the packaged unit, with this home."""
    text = (pathlib.Path(__file__).parents[2] / "packaging/segdl.service").read_text().replace("%h", str(home))
    lines = [line.partition("=") for line in text.splitlines() if "=" in line and not line.startswith("#")]
    return {name: [value for key, _, value in lines if key == name] for name, _, _ in lines}


# All of a home but the paths named first is read-only, as ProtectSystem=strict has it; the rest is the command.
SANDBOX = """
home=$1 count=$2
shift 2
mount --bind "$home" "$home" || exit 226
while [ "$count" -gt 0 ]; do
    case $1 in -*) [ ! -e "${1#-}" ] || mount --bind "${1#-}" "${1#-}" ;; *) mount --bind "$1" "$1" || exit 226 ;; esac
    shift
    count=$((count - 1))
done
mount -o remount,ro,bind "$home" || exit 226
exec "$@"
"""


@cases("the packaged unit starts in a fresh home")
def fresh_home(home):
    if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode:
        raise outcome.LeftOut("this user may not make a mount namespace")
    fresh = home.path / "fresh"
    fresh.mkdir()
    service = unit(fresh)
    for line in service.get("ExecStartPre", []):
        subprocess.run(line.removeprefix("+").split(), check=True)
    paths = " ".join(service["ReadWritePaths"]).split()
    (start,) = service["ExecStart"]
    command = [str(home.program), *start.split()[1:], "--listen", "127.0.0.1:0"]
    with open(home.path / "output", "wb") as output:
        process = subprocess.Popen(
            ["unshare", "-m", "--propagation", "private", "sh", "-c", SANDBOX, "sh", fresh, str(len(paths)), *paths,
             *command], stdout=output, stderr=output, stdin=subprocess.DEVNULL, env=environment(fresh))
    try:
        until(lambda: "Page: " in home.output() or process.poll() is not None, home.output)
        holds("Page: " in home.output(), f"status {process.poll()}: {home.output()}")
    finally:
        process.terminate()
        process.wait(20)
    holds((fresh / ".local/state/segdl/queue.sqlite").exists(), "the queue is not there")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segdl", type=pathlib.Path, required=True, help="the command")
    parser.add_argument("--only", default="", help="a part of the titles of the cases to run")
    asked = parser.parse_args()
    files, results = BehavingServer(), []
    for case in cases:
        if asked.only in case.title:
            with scratch() as home:
                results.append(outcome.run(case, Home(asked.segdl.resolve(), home, files)))
    files.stop()
    sys.exit(outcome.report("service", results))


if __name__ == "__main__":
    os.umask(0o022)
    main()
