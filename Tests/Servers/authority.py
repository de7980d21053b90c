"""A certificate authority of this run's own, and a certificate for loopback."""

import subprocess


class Authority:
    def __init__(self, home):
        self.file, self.certificate, self.key = home / "ca.pem", home / "server.pem", home / "server.key"
        # One file for both, as haproxy and lighttpd want it.
        self.both = home / "both.pem"
        curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        openssl(
            "req", "-x509", *curve, "-days", "30", "-subj", "/CN=test", "-keyout", home / "ca.key", "-out", self.file
        )
        openssl("req", *curve, "-subj", "/CN=127.0.0.1", "-keyout", self.key, "-out", home / "server.csr")
        (home / "names").write_text("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
        signing = ["-CA", self.file, "-CAkey", home / "ca.key", "-CAcreateserial", "-days", "30"]
        openssl(
            "x509", "-req", *signing, "-in", home / "server.csr", "-out", self.certificate, "-extfile", home / "names"
        )
        self.both.write_bytes(self.certificate.read_bytes() + self.key.read_bytes())
        # Servers that give up root read them too; the key is worth nothing outside this run.
        for file in (self.key, self.both):
            file.chmod(0o644)


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)
