"""The tools beside which segdl is put. They write under the final name from the start, and mirror nothing."""

from tools import Run, Tool, listed


class Curl(Tool):
    name = "curl"
    persistent = ["--retry", "30", "--retry-delay", "1", "--retry-all-errors"]

    def fetch_words(self, url, place, access, rate):
        pace = ["--limit-rate", str(rate), *self.persistent] if rate else []
        return ["-fsSL", "-C", "-", "-o", place.name, *pace, *self.words(access), url]

    def words(self, access):
        words = []
        if access.cacert:
            words += ["--cacert", access.cacert]
        if access.user:
            words += ["--user", access.user, f"--{access.scheme}"]
        if access.proxy:
            words += ["--proxy", access.proxy, f"--proxy-{access.scheme}"]
        return words

    def list_words(self, urls, directory, access):
        return ["-fsSL", "--parallel", "--remote-name-all", *self.words(access), *urls]


class Aria2(Tool):
    name = "aria2c"
    quiet = [
        "--no-conf", "--console-log-level=error", "--summary-interval=0", "--show-console-readout=false",
        "--allow-overwrite=true", "--auto-file-renaming=false", "--file-allocation=none",
    ]  # fmt: skip

    def fetch_words(self, url, place, access, rate):
        pace = [f"--max-download-limit={rate}", "--retry-wait=1", "--max-tries=30"] if rate else []
        return [*self.quiet, "-c", "-x4", "-s4", "-k1M", "-o", place.name, *pace, *self.words(access), url]

    def words(self, access):
        words = []
        if access.cacert:
            words.append(f"--ca-certificate={access.cacert}")
        if access.user:
            name, _, password = access.user.partition(":")
            words += [f"--http-user={name}", f"--http-passwd={password}"]
        if access.proxy:
            words.append(f"--all-proxy={access.proxy}")
        return words

    def offers(self, mode):
        return mode != "digest"

    def list_words(self, urls, directory, access):
        return [*self.quiet, "-i", listed(urls, directory), "-d", directory, *self.words(access)]

    def result(self, status):
        lines = self.out.read_text(errors="replace").strip().splitlines()
        return Run(status, next((line.strip() for line in reversed(lines) if "errorCode" in line), ""))
