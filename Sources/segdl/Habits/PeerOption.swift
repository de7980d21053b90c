/// An option of curl, wget, aria2 or axel, as `segdl fetch` understands it.
enum PeerOption: Equatable, Sendable {
    /// Our option of the same meaning; both have a value.
    case value(String)
    /// Our flag, or an option of ours with its value.
    case flag([String])
    /// This is the default here.
    case isDefault
    /// This has a value, and is the default here or of no effect on the files.
    case isDefaultWithValue
    /// It is not there: what to do instead, as a sentence.
    case missing(String)

    /// Returns the meaning of an option that is not one of ours; `nil` for an unknown one.
    static func named(_ name: String) -> PeerOption? {
        if let own = values[name] { return .value(own) }
        if let own = flags[name] { return .flag(own) }
        if defaults.contains(name) { return .isDefault }
        if valuedDefaults.contains(name) { return .isDefaultWithValue }
        return missing[name].map { .missing($0) }
    }

    /// The kind of such an option; `nil` if it is not known, or not there.
    static func kind(of name: String) -> CommandOptions.Kind? {
        switch named(name) {
        case .value, .isDefaultWithValue: .valued
        case .flag, .isDefault: .flag
        case .missing, nil: nil
        }
    }

    static let values: [String: String] = [
        "-A": "--user-agent", "-U": "--user-agent", "-e": "--referer", "-P": "--directory",
        "-t": "--retries", "-T": "--connect-timeout", "-Y": "--low-speed-limit", "-y": "--low-speed-time",
        "--retry": "--retries", "--tries": "--retries", "--max-tries": "--retries",
        "--retry-wait": "--retry-delay", "--waitretry": "--retry-delay", "--timeout": "--connect-timeout",
        "--speed-limit": "--low-speed-limit", "--lowest-speed-limit": "--low-speed-limit",
        "--speed-time": "--low-speed-time", "--read-timeout": "--low-speed-time",
        "--max-redirect": "--max-redirects",
        "--max-redirs": "--max-redirects", "--out": "--output", "--output-document": "--output",
        "--dir": "--directory", "--output-dir": "--directory", "--directory-prefix": "--directory",
        "--input-file": "--input", "--split": "--segments", "--num-connections": "--segments",
        "--max-connection-per-server": "--max-connections-per-host", "--min-split-size": "--min-segment-size",
        "--max-concurrent-downloads": "--max-active-files", "--parallel-max": "--max-active-files",
        "--max-overall-download-limit": "--limit-rate", "--max-download-limit": "--limit-rate-per-file",
        "--max-speed": "--limit-rate", "--load-cookies": "--cookie-file", "--all-proxy": "--proxy",
        "--noproxy": "--no-proxy", "--netrc-path": "--netrc-file",
        "--http-proxy": "--proxy", "--https-proxy": "--proxy", "--ca-certificate": "--cacert",
        "--certificate": "--cert", "-E": "--cert", "--certificate-type": "--cert-type",
        "--private-key": "--key", "--private-key-type": "--key-type", "--bind-address": "--interface",
        "--transfers": "--max-active-files", "--multi-thread-streams": "--segments",
        "--bwlimit": "--limit-rate",
        "--http-user": "--user", "-a": "--log", "--append-output": "--log", "--output-file": "--log",
    ]

    static let flags: [String: [String]] = [
        "--no-check-certificate": ["--insecure"], "--silent": ["--quiet"], "-nv": ["--quiet"],
        "--no-verbose": ["--quiet"], "--no-progress": ["--progress", "none"],
        "--no-progress-meter": ["--progress", "none"], "--progress-bar": ["--progress", "bar"],
        "-#": ["--progress", "bar"], "-nc": ["--if-exists", "skip"], "--no-clobber": ["--if-exists", "skip"],
        "--ignore-existing": ["--if-exists", "skip"], "--skip-existing": ["--if-exists", "skip"],
        "-N": ["--if-exists", "update"], "--timestamping": ["--if-exists", "update"],
        "--conditional-get": ["--if-exists", "update"], "--allow-overwrite": ["--if-exists", "replace"],
        "--overwrite": ["--if-exists", "replace"], "--clobber": ["--if-exists", "replace"],
        "--force": ["--if-exists", "replace"], "--auto-file-renaming": ["--if-exists", "rename"],
        "--spider": ["--dry-run"], "-I": ["--dry-run"], "--head": ["--dry-run"],
        "--ipv4": ["-4"], "--inet4-only": ["-4"], "--disable-ipv6": ["-4"],
        "--ipv6": ["-6"], "--inet6-only": ["-6"],
        "--server-response": ["-v", "-v"], "--no-cache": ["--header", "Cache-Control: no-cache"],
        "--use-server-timestamps": [], "--no-use-server-timestamps": ["--no-remote-time"],
    ]

    static let defaults: Set<String> = [
        "-L", "-O", "-f", "-R", "-S", "-J", "-Z", "-g", "--location", "--remote-name", "--remote-name-all",
        "--fail", "--show-error", "--remote-header-name", "--content-disposition", "--remote-time",
        "--create-dirs", "--globoff", "--parallel", "--parallel-immediate", "--show-progress",
        "--http1.1", "--http2", "--tlsv1.2", "--enable-http-pipelining", "--enable-http-keep-alive",
        "--no-netrc", "--alternate", "--fail-with-body", "--no-buffer",
        "--retry-connrefused", "--retry-all-errors", "--tcp-nodelay", "--no-hsts", "--no-cookies", "--basic",
        "--remove-on-error", "--multi-threaded", "--ask-password", "-nd", "--no-directories", "-nH",
        "--no-host-directories",
    ]

    static let valuedDefaults: Set<String> = [
        "--file-allocation", "--summary-interval", "--console-log-level", "--disk-cache", "--log-level",
        "--auto-save-interval", "--stream-piece-selector", "--uri-selector", "--piece-length",
        "--download-result", "--human-readable", "--enable-color", "--show-console-readout", "--prealloc",
        "--proto", "--proto-redir", "--always-resume", "--realtime-chunk-checksum",
        "--use-head",
        "--max-resume-failure-tries", "--max-file-not-found", "--allow-piece-length-change",
        "--follow-metalink", "--dns-timeout",
    ]

    private static let onlyGET = "segdl only downloads; for other requests use curl."
    private static let trees = "To fetch a tree, write `segdl mirror URL DIRECTORY`."
    private static let noTorrents = "segdl downloads over http, https and from S3 only."
    private static let logFile = "Write --log FILE."
    private static let otherFile = "Write --conf FILE, with a long option in each line: limit-rate = 20MiB."
    private static let place = "Write -C -, because segdl finds the place by itself."
    private static let newer = "Write -N (--if-exists update)."
    private static let facts = "Write --progress json for facts about the file, and -vv to see heads."
    private static let socks = "Write --proxy socks5://HOST:PORT."
    private static let metalink = "Write `segdl mirror FILE DIRECTORY`."
    private static let fullURLs = "Write full URLs; `segdl mirror` takes --base."
    static let noWaits = "segdl does not wait between files; -j 1 -x 1 and --limit-rate spare the server."
    private static let ownHost = "Credentials go to the host of the URL only; give the URL of the other host."

    private static let authorities = "Write --cacert FILE, with the certificates in one file."

    static let missing: [String: String] = [
        "-r": "\(trees) For a range, use `curl -r`: segdl fetches whole files.",
        "--range": "segdl fetches whole files; `curl -r` fetches a range.",
        "--recursive": trees, "--no-parent": trees, "-np": trees, "--accept": trees, "--level": trees,
        "-X": onlyGET, "--request": onlyGET, "--data": onlyGET, "--data-raw": onlyGET, "--form": onlyGET,
        "-F": onlyGET, "--post-data": onlyGET, "--post-file": onlyGET, "--method": onlyGET,
        "--upload-file": onlyGET, "--json": "Write --progress json for progress in JSON.",
        "--torrent-file": noTorrents, "--bt-metadata-only": noTorrents, "--seed-time": noTorrents,
        "--select-file": noTorrents, "--follow-torrent": noTorrents, "--ftp-user": noTorrents,
        "-m": trees,
        "-b":
            "With a value it is curl's cookie: -b NAME=VALUE. For wget's background write & behind the command, or use `segdl queue`.",
        "--background": "Write & behind the command, or use `segdl queue`.",
        "--daemon": "Write `segdl serve`, or & behind the command.",
        "--enable-rpc": "`segdl serve` is the daemon that speaks aria2's RPC.",
        "-l": logFile, "--stderr": logFile,
        "-K": otherFile, "--config": otherFile,
        "--proxy-user": "Write user and password into the URL of --proxy.",
        "-C": place, "--continue-at": place, "--wait": noWaits, "--random-wait": noWaits,
        "--save-session": "`segdl queue` keeps a queue on the disk.",
        "--check-integrity": "`segdl verify` checks a file, and --checksum checks a download.",
        "-z": newer, "--time-cond": newer, "--etag-compare": newer, "--etag-save": newer,
        "-w": facts, "--write-out": facts, "-D": facts, "--dump-header": facts, "--include": facts,
        "--location-trusted": ownHost, "--metalink-file": metalink, "--metalink": metalink, "-M": metalink,
        "--socks5": socks, "--socks5-hostname": socks, "-B": fullURLs, "--base": fullURLs,
        "--url": "Write the URL alone, without an option.",
        "--next": "Write all URLs behind the options, which count for each of them.",
        "--http3": "segdl speaks HTTP/1.1 and HTTP/2.",
        "--cookie-jar": "segdl keeps no cookies from one run to the next.",
        "--page-requisites": trees, "--save-cookies": "segdl keeps no cookies from one run to the next.",
        "--proto-default": "Write the scheme in front of the address, as in https://host/path.",
        "--capath": authorities, "--ca-directory": authorities,
        "--tlsv1.3":
            "Leave it out: TLS 1.3 is taken where the server has it. segdl cannot refuse TLS 1.2, and curl can.",
        "-V": "Write `segdl --version`.",
    ]
}
