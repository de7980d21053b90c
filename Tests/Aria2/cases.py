"""What programs ask of aria2c. Each case returns what must be the same with segdl in its place."""

import hashlib
import json
import re
import shutil
import socket
import sys
import time
import urllib.request

from content import FRAGMENTS

ALL = []


def case(function):
    ALL.append(function)
    return function


def digest(content):
    return hashlib.sha256(content).hexdigest()


# yt-dlp


def film(tool, path):
    status, output = tool.ytdlp("-o", "film.%(ext)s", tool.server.url(path))
    if status:
        sys.stdout.write(output)
    return status, "aria2c command line" in output, tool.files()


@case
def ytdlp_file(tool):
    return film(tool, "film.mp4")


@case
def ytdlp_playlist(tool):
    return film(tool, "hls/film.m3u8")


@case
def ytdlp_manifest(tool):
    return film(tool, "dash/film.mpd")


@case
def ytdlp_missing(tool):
    status, _ = tool.ytdlp("--force-generic-extractor", "-o", "f.%(ext)s", tool.server.url("gone.mp4"))
    return status, tool.files()


@case
def ytdlp_fragments(tool):
    """The command line for fragments of yt-dlp until 2025."""
    entries = [f"{tool.server.url(f'hls/{number}.ts')}\n\tout=./f.mp4.part-Frag{number}" for number in
               range(FRAGMENTS)]
    tool.write("f.mp4.part.frag.urls", "\n".join(entries))
    status, _ = tool.run(
        "-c", "--no-conf", "--console-log-level=warn", "--summary-interval=0", "--download-result=hide",
        "--http-accept-gzip=true", "--file-allocation=none", "-x16", "-j16", "-s16",
        "--allow-overwrite=true", "--allow-piece-length-change=true", "--header",
        "Accept-Encoding: gzip, deflate", "--header", "User-Agent: Mozilla/5.0",
        "--check-certificate=true", "--remote-time=true", "--show-console-readout=true",
        "--auto-file-renaming=false", "--uri-selector=inorder", "-i", "./f.mp4.part.frag.urls")
    return status, tool.files()


# apt-fast


APT = ("--no-conf", "-c", "-j", "5", "-x", "8", "-s", "8", "-i", "apt-fast.list", "--min-split-size=1M",
       "--stream-piece-selector=default", "--connect-timeout=10", "--timeout=20", "-m0", "--header",
       "Accept: */*")


def apt_list(tool, sums):
    text = ""
    for name, mirrors in {"a": ["deb", "mirror"], "b": ["deb"]}.items():
        text += "\t".join(tool.server.url(f"{mirror}/{name}.deb") for mirror in mirrors)
        text += f"\n checksum=sha-256={sums[name]}\n out={name}_1.0_amd64.deb\n dir=archives\n"
    tool.write("apt-fast.list", text)


@case
def apt_fast(tool):
    apt_list(tool, {name: digest(tool.server.files[f"deb/{name}.deb"]) for name in "ab"})
    status, _ = tool.run(*APT)
    again, _ = tool.run(*APT)
    return status, again, tool.files()


@case
def apt_fast_wrong_digest(tool):
    """aria2c leaves a wrong file under its name; segdl does not."""
    apt_list(tool, {"a": "0" * 64, "b": digest(tool.server.files["deb/b.deb"])})
    status, _ = tool.run(*APT)
    name = "archives/a_1.0_amd64.deb"
    return status, tool.files(name, f"{name}.rejected")


# Scripts for models


def model_list(tool):
    text = ""
    for number in range(1, 5):
        name = f"model-{number}.safetensors"
        text += f"{tool.server.url('model/' + name)}\n  dir=model\n  out={name}\n"
        text += "  header=Authorization: Bearer hf_token\n  gid=" + digest(name.encode())[:16] + "\n\n"
    tool.write("list.txt", text)


MODELS = ("--console-log-level=error", "--file-allocation=none", "-x", "16", "-s", "16", "-j", "5", "-k", "1M",
          "-c", "-i", "list.txt", "--save-session=left.txt")


@case
def models(tool):
    model_list(tool)
    status, _ = tool.run(*MODELS)
    names = {fields.get("Authorization") for _, fields in tool.server.requests}
    return status, names, tool.files()


@case
def models_resumed(tool):
    model_list(tool)
    tool.server.stock = 6_000_000
    first = tool.interrupt(lambda: tool.server.has_delivered, *MODELS)
    left = len(re.findall(r"^http", tool.read("left.txt"), re.MULTILINE))
    tool.server.reset()
    tool.server.pause = 0.002
    second, _ = tool.run(*MODELS)
    # 16 MB in all; much of it was there.
    return first, left > 0, second, tool.server.sent < 14_000_000, tool.files("left.txt")


# The command line itself


@case
def sources(tool):
    status, _ = tool.run(tool.server.url("gone"), tool.server.url("small.bin"), "-o", "x/y.bin", "-d", "sub/")
    return status, tool.files()


@case
def separate_files(tool):
    status, output = tool.run("-Z", tool.server.url("small.bin"), tool.server.url("gone"), "-o", "ignored")
    rows = re.findall(r"^[0-9a-f]{6}\|(.{4})\|.{11}\|(.*)$", output, re.MULTILINE)
    return status, sorted(row[0] for row in rows), tool.files()


@case
def standard_input(tool):
    status, _ = tool.run("-i", "-", "-q", text=f"{tool.server.url('small.bin')}\n out=in.bin\n nosuch=1\ngarbage\n")
    return status, tool.files()


@case
def patterns(tool):
    urls = tool.server.url("hls/[0-2].ts"), tool.server.url("{small,other}.bin")
    return tool.run("-P", "-Z", "-q", *urls), tool.files()


@case
def other_file_is_renamed(tool):
    tool.write("small.bin", "something else")
    return tool.run("-q", tool.server.url("small.bin")), tool.files()


@case
def other_file_is_replaced(tool):
    tool.write("small.bin", "something else")
    return tool.run("-q", "--allow-overwrite=true", tool.server.url("small.bin")), tool.files()


@case
def other_file_is_an_error(tool):
    tool.write("small.bin", "something else")
    return tool.run("-q", "--auto-file-renaming=false", tool.server.url("small.bin")), tool.files()


@case
def longer_file_is_renamed(tool):
    tool.write("small.bin", b"0" * 2_000)
    return tool.run("-q", "-c", tool.server.url("small.bin")), tool.files()


def first_byte(tool):
    """Of all requests. Not what the server has sent: after a cut, what waited in buffers is sent twice."""
    ranges = [fields.get("Range", "bytes=0-") for _, fields in tool.server.requests]
    return min(int(each.removeprefix("bytes=").partition("-")[0]) for each in ranges)


@case
def part_is_continued(tool):
    tool.write("film.mp4", tool.server.files["film.mp4"][:3_000_000])
    result = tool.run("-q", "-c", tool.server.url("film.mp4"))
    return result, first_byte(tool) >= 2_000_000, tool.files()


@case
def part_of_aria2_is_continued(tool):
    """By its control file, without -c."""
    # A busy machine interrupts it late, but not after its end.
    tool.server.stock = 3_000_000
    ours, tool.path = tool.path, shutil.which("aria2c")
    # Its file and not what the server has sent: much of that waits in buffers on a busy machine.
    tool.interrupt(
        lambda: tool.size("film.mp4") >= 2_000_000,
        "-q", "-x1", "--file-allocation=none", "--disk-cache=0", tool.server.url("film.mp4"))
    tool.path = ours
    tool.server.reset()
    status, _ = tool.run("-q", "-o", "film.mp4", tool.server.url("film.mp4"))
    return status, first_byte(tool) >= 1_000_000, tool.files()


@case
def part_beside_a_whole_is_continued(tool):
    tool.write("film.mp4", tool.server.files["film.mp4"][:3_000_000])
    first, _ = tool.run("-q", tool.server.url("film.mp4"))
    second, _ = tool.run("-q", "--continue=true", "--out=film.mp4", tool.server.url("film.mp4"))
    return first, second, tool.files()


@case
def credentials_and_fields(tool):
    status, _ = tool.run(
        "-q", "--http-user=me", "--http-passwd=pass word", "--header", "X-One: 1", "--header=X-Two: 2", "-U",
        "agent/1", "--referer=http://from/", "--http-no-cache=true", tool.server.url("small.bin"))
    names = ("Authorization", "X-One", "X-Two", "User-Agent", "Referer", "Cache-Control", "Pragma")
    return status, [{name: fields.get(name) for name in names} for _, fields in tool.server.requests]


@case
def cookies(tool):
    tool.write("jar", "# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tname\tvalue\n")
    status, _ = tool.run("-q", "--load-cookies=jar", tool.server.url("small.bin"))
    return status, [fields.get("Cookie", "").rstrip(";") for _, fields in tool.server.requests]


@case
def proxies(tool):
    """Each protocol has its own, --no-proxy excepts hosts, and a user's name is added."""
    proxy, lines = tool.server.url(""), {}
    for name, options in {
            "all": [f"--all-proxy={proxy}"], "http": [f"--http-proxy={proxy}", "--all-proxy=http://127.0.0.1:1"],
            "none": [f"--all-proxy={proxy}", "--no-proxy=127.0.0.1"], "https": [f"--https-proxy={proxy}"],
            "user": [f"--http-proxy={proxy}", "--http-proxy-user=me", "--http-proxy-passwd=a b"],
    }.items():
        tool.server.reset()
        status, _ = tool.run("-q", "-o", name, *options, tool.server.url("small.bin"))
        path, fields = tool.server.requests[0]
        lines[name] = status, path.startswith("http://"), fields.get("Proxy-Authorization")
    return lines, tool.files()


@case
def dates(tool):
    tool.run("-q", "--remote-time=true", tool.server.url("small.bin"))
    tool.run("-q", tool.server.url("other.bin"))
    return [tool.age("small.bin") > 86_400, tool.age("other.bin") > 86_400]


@case
def limits(tool):
    """Three connections to a host at most, and none for less than a split's size."""
    # A busy machine opens the others late.
    tool.server.pause = 0.01
    tool.run("-q", "-x3", "-s8", "-k1M", tool.server.url("film.mp4"))
    many = tool.server.most
    tool.server.reset()
    tool.run("-q", "-x16", "-s16", tool.server.url("other.bin"))
    return many, tool.server.most


@case
def configuration_file(tool):
    path = tool.write("aria2.conf", "# mine\nout=conf.bin\nnosuch=1\n")
    status, _ = tool.run("-q", f"--conf-path={path}", tool.server.url("small.bin"))
    return status, tool.files()


@case
def dry_run(tool):
    here, _ = tool.run("--dry-run=true", tool.server.url("film.mp4"))
    gone, _ = tool.run("--dry-run=true", tool.server.url("gone"))
    return here, gone, tool.files()


@case
def stop(tool):
    tool.server.pause = 0.2
    status, _ = tool.run("-q", "--stop=1", tool.server.url("film.mp4"))
    return status, list(tool.files())[1:]


@case
def hooks(tool):
    hook = tool.write("hook.sh", '#!/bin/sh\necho "$# $2 ${3##*/}" >> "$(dirname "$0")/seen-${1%%?????????????}"\n')
    tool.command(["chmod", "+x", hook])
    gid = "abc0123456789def"
    status, _ = tool.run("-q", f"--gid={gid}", f"--on-download-complete={hook}", tool.server.url("small.bin"))
    # The hook runs on by itself.
    tool.command(["sh", "-c", "n=0; until [ -s seen-abc ] || [ $n = 200 ]; do n=$((n+1)); sleep 0.05; done"])
    return status, tool.read("seen-abc")


@case
def statuses(tool):
    server = tool.server
    lines = {
        "404": [server.url("gone")], "401": [server.url("status/401")], "403": [server.url("status/403")],
        "500": ["-m1", server.url("status/500")], "503": ["-m1", server.url("status/503")],
        "loop": [server.url("loop")], "not found often": ["--max-file-not-found=2", server.url("gone")],
        "name": ["-m1", "http://nosuch.invalid/x"], "option": ["--nosuch", server.url("small.bin")],
        "value": ["-x99", server.url("small.bin")], "no value": ["--split"], "nothing": [],
        "no URI": ["nonsense"], "no list": ["-i", "nosuch.txt"], "no configuration": ["--conf-path=/nosuch", "x"],
        "digest": ["--checksum=sha-1=" + "0" * 40, server.url("other.bin")], "gid": ["--gid=1", server.url("x")],
        "help": ["-h"], "version": ["-v"], "empty list": ["-i", "/dev/null"],
    }
    return {name: tool.run(*line)[0] for name, line in lines.items()}


@case
def version(tool):
    return tool.run("--version")[1].split("\n")[0]


@case
def silence(tool):
    return tool.run("-q", tool.server.url("gone")), tool.run("-q", tool.server.url("small.bin"))


@case
def last_failure_counts(tool):
    return [
        tool.run("-q", "-j1", "-Z", tool.server.url("gone"), tool.server.url("status/401"))[0],
        tool.run("-q", "-j1", "-Z", tool.server.url("status/401"), tool.server.url("gone"))[0],
    ]


# --enable-rpc


def rpc(port, method, *parameters):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}).encode()
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/jsonrpc", body) as answer:
        return json.load(answer)["result"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def ended(port, gid):
    """The status and the length of a download that has ended."""
    while (found := rpc(port, "aria2.tellStatus", gid, ["status", "totalLength"]))["status"] in ("waiting", "active"):
        time.sleep(0.02)
    return found


@case
def served(tool):
    def ask(port):
        gid = rpc(port, "aria2.addUri", [tool.server.url("film.mp4")], {"out": "b.mp4", "split": "16"})
        ends = [ended(port, each) for each in ("00000000000000aa", gid)]
        rpc(port, "aria2.shutdown")
        return ends

    answers = tool.served(free_port(), ask, "--gid=00000000000000aa", "--out=a.mp4", tool.server.url("film.mp4"))
    return answers, tool.files()
