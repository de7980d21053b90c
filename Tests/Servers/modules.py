"""The servers from PyPI, in an environment of their own below .build."""

import pathlib
import subprocess
import sys

HOME = pathlib.Path(__file__).resolve().parents[2] / ".build/servers-venv"
PYTHON = HOME / "bin/python"


def install(wanted):
    """Asks PyPI only for what is not there yet."""
    if not PYTHON.exists():
        subprocess.run([sys.executable, "-m", "venv", HOME], check=True)
    listed = subprocess.run([PYTHON, "-m", "pip", "freeze", "--all"], check=True, capture_output=True, text=True).stdout
    there = {line.split("==")[0].lower().replace("_", "-") for line in listed.splitlines()}
    if missing := sorted(wanted - there):
        print(f"installing {' '.join(missing)}", file=sys.stderr)
        pip = [PYTHON, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, *missing], check=False)
