"""The one user, as files of passwords say it."""

import hashlib
import subprocess

from server import PASSWORD, REALM, USER


def write_basic(home):
    """As htpasswd writes it."""
    words = ["openssl", "passwd", "-apr1", PASSWORD]
    return written(home / "basic", f"{USER}:{subprocess.run(words, check=True, capture_output=True, text=True).stdout}")


def write_digest(home):
    """As htdigest writes it."""
    md5 = hashlib.md5(f"{USER}:{REALM}:{PASSWORD}".encode()).hexdigest()
    return written(home / "digest", f"{USER}:{REALM}:{md5}\n")


def write_plain(home):
    return written(home / "plain", f"{USER}:{PASSWORD}\n")


def written(file, text):
    file.write_text(text)
    # Programs that have given up root read it too.
    file.chmod(0o644)
    return file
