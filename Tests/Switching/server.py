"""nginx on loopback with the files of the page's URLs."""

import contextlib
import hashlib
import io
import os
import random
import shutil
import socket
import subprocess
import sys
import tarfile
import time

PIECE = 1 << 20
NGINX = """
{user} daemon off; master_process off; pid {home}/pid; error_log {home}/error.log;
events {{ worker_connections 256; }}
http {{
    access_log off; default_type application/octet-stream; root {home}/site;
    client_body_temp_path {home}/body; proxy_temp_path {home}/proxy; fastcgi_temp_path {home}/fastcgi;
    uwsgi_temp_path {home}/uwsgi; scgi_temp_path {home}/scgi;
    ssl_certificate {home}/ca.pem; ssl_certificate_key {home}/key.pem;
    map $args $listing {{ default none; ~prefix=images images; ~prefix=models models; ~prefix=2024- dated; }}
    server {{
        listen 127.0.0.1:{main}; listen 127.0.0.1:{mirror}; listen 127.0.0.1:{proxy}; listen 127.0.0.1:{tls} ssl;
        location /pub/ {{ autoindex on; }}
        location = /latest {{ alias {home}/site/disk.iso; add_header Content-Disposition 'inline; filename=disk.iso'; }}
        location = /releases/latest {{ alias {home}/site/disk.iso; }}
        location = /pub/SHA256SUMS {{ alias {home}/listings/sums; }}
        location ~ ^/(bucket/?)?$ {{ default_type application/xml; root {home}/listings; rewrite ^ /$listing break; }}
        location ~ ^/bucket/(images|models)/(.*)$ {{ alias {home}/site/$2; }}
        location /members/ {{ auth_basic files; auth_basic_user_file {home}/passwords; alias {home}/site/; }}
        location /api/ {{ if ($http_x_token != abc) {{ return 403; }} rewrite ^/api(/.*)$ $1 break; }}
        location /shop/ {{ if ($cookie_session != abc) {{ return 403; }} rewrite ^/shop(/.*)$ $1 break; }}
        location /linked/ {{ if ($http_referer = "") {{ return 403; }} rewrite ^/linked(/.*)$ $1 break; }}
        location /browsers/ {{ if ($http_user_agent !~ Mozilla) {{ return 403; }} rewrite ^/browsers(/.*)$ $1 break; }}
    }}
    server {{ listen 127.0.0.1:{proxy}; server_name files.example; root {home}/slow; limit_rate 3m; autoindex on; }}
}}
"""


def site():
    """The server's files by their paths."""
    made = random.Random(5)  # the same in each run
    files = {"disk.iso": made.randbytes(3 << 20), "notes.txt": b"notes\n"}
    files |= {name: made.randbytes(70_000) for name in ("a.iso", "b.iso", "large.bin", "2024-a.iso")}
    files |= {f"pub/{name}": made.randbytes(5000) for name in ("a.iso", "b.txt", "old/c.iso")}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        entry = tarfile.TarInfo("tree/a.txt")
        entry.size = len(files["notes.txt"])
        archive.addfile(entry, io.BytesIO(files["notes.txt"]))
    files["tree.tar.gz"] = packed.getvalue()
    return files


def free_ports(*names):
    with contextlib.ExitStack() as sockets:
        probes = {name: sockets.enter_context(socket.socket()) for name in names}
        for probe in probes.values():
            probe.bind(("127.0.0.1", 0))
        return {name: probe.getsockname()[1] for name, probe in probes.items()}


def write(root, files):
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


class Server:
    """nginx in a directory, and the addresses that stand for those of the page.

    `inputs` are the files that lines name as theirs, and `environment` is that of the lines.
    """

    def __init__(self, home, segdl):
        self.home, self.files = home, site()
        ports = free_ports("main", "mirror", "proxy", "tls")
        self.addresses = {
            "https://host": f"http://127.0.0.1:{ports['main']}",
            "https://a.example": f"http://127.0.0.1:{ports['main']}",
            "https://b.example": f"http://127.0.0.1:{ports['mirror']}",
            "https://bucket.host": f"http://127.0.0.1:{ports['main']}",
            "https://example.com": f"http://127.0.0.1:{ports['main']}",
            "https://mirror.example.org": f"http://127.0.0.1:{ports['mirror']}",
            "https://intranet.example": f"https://127.0.0.1:{ports['tls']}",
            "http://proxy.example:3128": f"http://127.0.0.1:{ports['proxy']}",
        }
        digest = hashlib.sha256(self.files["disk.iso"]).hexdigest()
        self.addresses |= {
            "9f86…": digest, " /shared/copy": " shared/copy", "/shared/copy/": "shared/copy/", " /data": " data",
            "0.0.0.0:6800": "127.0.0.1:0"}
        metalink = self.metalink(digest).encode()
        write(home / "site", {**self.files, "disk.iso.meta4": metalink})
        write(home / "listings", self.listings())
        self.make_authority()
        urls = self.local("https://example.com/disk.iso\nhttps://example.com/notes.txt\n").encode()
        self.inputs = {
            "urls.txt": urls, "list.txt": urls, "disk.iso.meta4": metalink,
            "list.jsonl": self.local('{"url": "https://host/pub/a.iso", "path": "a.iso"}\n').encode(),
            "secret": b"a secret of many characters",
            "cookies.txt": b"127.0.0.1\tFALSE\t/\tFALSE\t4000000000\tsession\tabc\n",
            "ca.pem": (home / "ca.pem").read_bytes(),
        }
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")},
            "PATH": f"{self.named(segdl)}:{os.environ['PATH']}", "SHA256": digest,
            "HOME": str(home), "AWS_ENDPOINT_URL": self.addresses["https://host"], "AWS_REGION": "eu-central-1",
        }
        (home / ".aws").mkdir()
        (home / ".aws/config").write_text("[profile work]\naws_access_key_id = A\naws_secret_access_key = s\n")
        self.start(ports)

    def named(self, segdl):
        """A directory where the command has its name."""
        (self.home / "bin").mkdir()
        (self.home / "bin/segdl").symlink_to(segdl)
        return self.home / "bin"

    def metalink(self, digest):
        content = self.files["disk.iso"]
        pieces = [hashlib.sha256(content[begin:begin + PIECE]).hexdigest() for begin in range(0, len(content), PIECE)]
        return (
            '<metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="disk.iso">'
            f'<size>{len(content)}</size><hash type="sha-256">{digest}</hash><pieces type="sha-256" length="{PIECE}">'
            f"{''.join(f'<hash>{piece}</hash>' for piece in pieces)}</pieces>"
            f'<url>{self.local("https://example.com/disk.iso")}</url></file></metalink>')

    def listings(self):
        """Answers of a store about a bucket, and the checksums of a directory."""
        named = {"images/": "a.iso", "models/": "large.bin", "": "2024-a.iso"}
        contents = {
            prefix: f"<Contents><Key>{prefix}{name}</Key><Size>{len(self.files[name])}</Size></Contents>"
            for prefix, name in named.items()}
        answers = {
            name: f"<ListBucketResult><IsTruncated>false</IsTruncated>{contents[prefix]}</ListBucketResult>".encode()
            for name, prefix in (("images", "images/"), ("models", "models/"), ("dated", ""))}
        return {**answers, "sums": f"{hashlib.sha256(self.files['pub/a.iso']).hexdigest()}  a.iso\n".encode()}

    def make_authority(self):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2",
             "-keyout", self.home / "key.pem", "-out", self.home / "ca.pem"], check=True, capture_output=True)

    def start(self, ports):
        (self.home / "passwords").write_text("joe:{PLAIN}secret\n")
        user = "user root;" if os.getuid() == 0 else ""
        (self.home / "conf").write_text(NGINX.format(user=user, home=self.home, **ports))
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        with open(self.home / "output", "wb") as output:
            self.process = subprocess.Popen(
                [program, "-p", self.home, "-c", self.home / "conf"], stdout=output, stderr=output)
        while not (self.home / "pid").exists():
            if self.process.poll() is not None:
                sys.exit(f"nginx did not start: {(self.home / 'output').read_text()}")
            time.sleep(0.02)

    def local(self, text):
        for shown, address in self.addresses.items():
            text = text.replace(shown, address)
        return text

    def stop(self):
        self.process.terminate()
        self.process.wait()
