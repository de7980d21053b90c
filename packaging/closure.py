#!/usr/bin/env python3
"""Finds the libraries that segdl needs on this machine: packaging/closure.py [OPTION] BINARY

Prints a line for each except glibc's own: name, path, Debian package, version. Libraries that segdl loads at run time
are among them; --loaded prints these only, --glibc those of glibc only. --glibc-version prints the oldest version of
glibc that all of it runs with.
"""
import pathlib
import re
import subprocess
import sys

# CSegXML loads it when the first listing is read; the number depends on the version that it was built with.
LOADED = re.compile(rb"libxml2\.so\.\d+")
# Each system has its own, and a process cannot mix the parts of two.
GLIBC = re.compile(r"^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|anl|nsl|nss_\w+|mvec|BrokenLocale))\.so\.\d+$")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def loaded(binary):
    """Returns {name: path} of the libraries that are loaded at run time."""
    names = sorted({name.decode() for name in LOADED.findall(pathlib.Path(binary).read_bytes())})
    if not names:
        raise SystemExit(f"{binary} does not name the libxml2 that it loads.")
    # The loader's cache may also have libraries of other machines.
    machine = re.search(r"Machine:\s+(.*)", run("readelf", "-h", binary))[1]
    paths = {}
    for name, path in re.findall(r"^\s*(\S+) \(.*\) => (\S+)$", run("/sbin/ldconfig", "-p"), re.MULTILINE):
        if name in names and name not in paths and machine in run("readelf", "-h", path):
            paths[name] = path
    if missing := [name for name in names if name not in paths]:
        raise SystemExit(f"{missing[0]} is not installed; segdl loads it to read listings.")
    return paths


def needed(path):
    """Returns {name: path} of everything that the loader maps for a program or library."""
    found = {}
    for line in run("ldd", str(path)).splitlines():
        match = re.match(r"\s*(?:(\S+) => )?(/\S+) \(0x", line)
        if match:
            found[pathlib.Path(match[1] or match[2]).name] = match[2]
        elif "not found" in line:
            raise SystemExit(f"{path} needs a library that is not there: {line.strip()}")
    return found


def closure(binary):
    libraries = needed(binary)
    for name, path in loaded(binary).items():
        libraries |= {name: path, **needed(path)}
    return dict(sorted(libraries.items()))


def is_glibc(name):
    return GLIBC.match(name) is not None


def owner(path):
    """Returns (package, version) of the Debian package that a library is from."""
    real = str(pathlib.Path(path).resolve())
    for candidate in dict.fromkeys([path, real, path.removeprefix("/usr"), real.removeprefix("/usr"), "/usr" + path]):
        result = subprocess.run(["dpkg-query", "-S", candidate], check=False, capture_output=True, text=True)
        if result.returncode == 0:
            package = result.stdout.split(": ")[0].split(",")[0]
            name, version = run("dpkg-query", "-W", "-f", "${Package} ${Version}", package).split()
            return name, version
    raise SystemExit(f"No Debian package has {path}.")


def glibc_needed(path):
    """Returns the version of glibc that a file's symbols, and its packed relocations, need, as (2, 34)."""
    versions = re.findall(r"\(GLIBC_(\d+)\.(\d+)", run("objdump", "-T", str(path)))
    if "GLIBC_ABI_DT_RELR" in run("readelf", "-V", str(path)):
        versions.append((2, 36))
    return max(((int(major), int(minor)) for major, minor in versions), default=(0, 0))


def main(arguments):
    paths = [argument for argument in arguments if not argument.startswith("--")]
    if len(paths) != 1:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 64
    everything = closure(paths[0])
    libraries = {name: path for name, path in everything.items() if not is_glibc(name)}
    if "--glibc-version" in arguments:
        print(".".join(map(str, max(map(glibc_needed, [paths[0], *libraries.values()])))))
        return 0
    if "--loaded" in arguments:
        libraries = loaded(paths[0])
    if "--glibc" in arguments:
        libraries = {name: path for name, path in everything.items() if is_glibc(name)}
    for name, path in libraries.items():
        print(name, path, *owner(path))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
