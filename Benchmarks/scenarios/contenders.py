"""The command lines, each tool with the switches that serve it best."""

import shutil

PEERS = ["curl", "aria2c", "axel", "wget2", "rclone", "baseline"]
SWEEP = [1, 2, 4, 8, 16]


class Contenders:
    """`against`: the peers that are wanted. What is not installed, or cannot do the work, has no job."""

    def __init__(self, segdl, baseline, against, authority):
        self.binary, self.baseline_binary, self.authority = segdl, baseline, authority
        self.peers = [peer for peer in against if peer == "baseline" or shutil.which(peer)]

    def trust(self, tool, url):
        if not url.startswith("https:"):
            return []
        switches = {"segdl": "--cacert", "curl": "--cacert", "rclone": "--ca-cert"}
        return [switches.get(tool, "--ca-certificate"), self.authority.file]

    # One file, to `out`

    def segdl(self, url, *options):
        return [self.binary, "fetch", "-q", *options, *self.trust("segdl", url), "-o", "out", url]

    def curl(self, url):
        return ["curl", "-fsS", *self.trust("curl", url), "-o", "out", url]

    def aria2c(self, url, count, *options):
        return ["aria2c", "--no-conf", "-q", f"-x{count}", f"-s{count}", "-k1M", "--file-allocation=falloc",
                *options, *self.trust("aria2c", url), "-o", "out", url]

    def axel(self, url, count):
        """It has no option for an authority, but OpenSSL, which it uses, has a variable."""
        variable = ["env", f"SSL_CERT_FILE={self.authority.file}"] if url.startswith("https:") else []
        return [*variable, "axel", "-q", "-n", str(count), "-o", "out", url]

    def wget2(self, url, count):
        return ["wget2", "-q", "--chunk-size=16M", f"--max-threads={count}", *self.trust("wget2", url),
                "-O", "out", url]

    def baseline(self, server, name):
        return [self.baseline_binary, str(server.port), f"/{name}", "out"]

    def peers_for_file(self, url, count):
        """Label and command of every peer; those that can, with so many connections."""
        commands = {
            "curl": ("curl", self.curl),
            "aria2c": (f"aria2c -x{count}", lambda url: self.aria2c(url, count)),
            "axel": (f"axel -n {count}", lambda url: self.axel(url, count)),
            "wget2": (f"wget2 --max-threads={count}", lambda url: self.wget2(url, count)),
        }
        return {label: make(url) for peer, (label, make) in commands.items() if peer in self.peers}

    def sweep(self, url):
        """`auto`, and every fixed count that it is to be as good as."""
        return {"segdl": self.segdl(url), **{f"segdl -s {n}": self.segdl(url, "-s", str(n)) for n in SWEEP}}

    # A list of files, to their own names

    def segdl_list(self, urls, *options):
        return [self.binary, "fetch", "-q", *options, *self.trust("segdl", urls.first), "-i", urls.vouched]

    def peers_for_list(self, urls, count, split=1):
        """`count` files at a time; aria2 may use `split` connections for each."""
        curl = ["curl", "-fsS", "-Z", "--parallel-max", str(count), *self.trust("curl", urls.first), "-K", urls.curl]
        aria2c = [
            "aria2c", "--no-conf", "-q", f"-j{count}", f"-x{split if split > 1 else 16}", f"-s{split}", "-k1M",
            f"--file-allocation={'falloc' if split > 1 else 'none'}", "--auto-save-interval=0",
            *self.trust("aria2c", urls.first), "-i", urls.vouched]
        wget2 = ["wget2", "-q", f"--max-threads={count}", *self.trust("wget2", urls.first), "-i", urls.plain]
        commands = {
            f"curl -Z --parallel-max {count}": curl,
            f"curl -Z --parallel-max {count} --parallel-immediate": [*curl, "--parallel-immediate"],
            f"aria2c -j{count}": aria2c,
            f"wget2 --max-threads={count}": wget2,
        }
        return {label: command for label, command in commands.items() if command[0] in self.peers}

    # A tree of files, to their own paths

    def segdl_mirror(self, url, *options):
        return [self.binary, "mirror", "-q", *options, *self.trust("segdl", url), url, "."]

    def peers_for_mirror(self, url, count):
        """`count` files at a time; `url` is that of a directory below the server's root."""
        commands = {
            f"wget2 -r --max-threads={count}": [
                "wget2", "-q", "-r", "-np", "-nH", "--cut-dirs=1", "--robots=off", f"--max-threads={count}",
                *self.trust("wget2", url), url],
            f"rclone copy --transfers {count}": [
                "rclone", "copy", "-q", "--transfers", str(count), "--checkers", str(count),
                *self.trust("rclone", url), "--http-url", url, ":http:", "."],
        }
        return {label: command for label, command in commands.items() if command[0] in self.peers}


class Urls:
    """A list in a file with a URL on each line, and in one as curl reads them. With the SHA-256 of each URL there is
    also one for the tools that verify them."""

    def __init__(self, path, urls, digests=None):
        self.first, self.plain, self.curl = urls[0], path, f"{path}.curl"
        self.vouched = path if digests is None else f"{path}.digests"
        with open(self.plain, "w") as file:
            file.writelines(f"{url}\n" for url in urls)
        if digests is not None:
            with open(self.vouched, "w") as file:
                file.writelines(
                    f"{url}\n checksum=sha-256={digest}\n" for url, digest in zip(urls, digests, strict=True))
        with open(self.curl, "w") as file:
            file.write("remote-name-all\n")
            file.writelines(f'url = "{url}"\n' for url in urls)
