extension RPCOption {
    static let all: [String: RPCOption] = Dictionary(
        uniqueKeysWithValues: (effective + fixed + kept + keptOfTorrents + keptOfDaemon).map { ($0.name, $0) }
    )

    private static let positive = Kind.number(1...Int(Int32.max))
    private static let natural = Kind.number(0...Int(Int32.max))

    /// The options that this daemon acts on.
    private static let effective: [RPCOption] = [
        RPCOption("allow-overwrite", .flag, "false"),
        RPCOption("auto-file-renaming", .flag, "true"), RPCOption("checksum", .text, isGlobal: false),
        RPCOption("conditional-get", .flag, "false"), RPCOption("continue", .flag, "false"),
        RPCOption("dir", .text), RPCOption("gid", .text, isGlobal: false), RPCOption("header", .list),
        RPCOption("http-no-cache", .flag, "false"), RPCOption("http-passwd", .text),
        RPCOption("http-user", .text), RPCOption("max-connection-per-server", .number(1...16)),
        RPCOption("max-download-limit", .size, "0"), RPCOption("max-tries", natural, "7"),
        RPCOption("out", .text, isGlobal: false), RPCOption("pause", .flag, "false", isGlobal: false),
        RPCOption("referer", .text), RPCOption("remote-time", .flag, "true"),
        RPCOption("remove-control-file", .flag, "false"), RPCOption("retry-wait", .number(0...600), "0"),
        RPCOption("select-file", .text, isGlobal: false), RPCOption("split", positive),
        RPCOption("user-agent", .text),
    ]

    /// Options of which another value would be passed over silently.
    private static let fixed: [RPCOption] = [
        RPCOption("all-proxy", .fixed(proxies), ""), RPCOption("http-proxy", .fixed(proxies), ""),
        RPCOption("https-proxy", .fixed(proxies), ""),
        RPCOption(
            "check-certificate",
            .fixed(
                "All downloads of a daemon check certificates alike; start it with segdl serve --insecure."),
            "true"),
        RPCOption(
            "disable-ipv6", .fixed("All downloads of a daemon use the same addresses; start it with --ipv4."),
            "false", isOfDownload: false),
        RPCOption("dry-run", .fixed("A download of segdl's daemon is always a whole one."), "false"),
        RPCOption("hash-check-only", .fixed("segdl verify compares files with their digests."), "false"),
        RPCOption("parameterized-uri", .fixed("Send each URI as it is."), "false"),
        RPCOption("stop", .fixed("End the daemon by aria2.shutdown."), "0", isOfDownload: false),
    ]

    private static let proxies = "All downloads of a daemon have the same proxy; start it with --proxy."

    /// Options that are kept and shown, and change nothing: the daemon decides these itself.
    private static let kept: [RPCOption] = [
        RPCOption("allow-piece-length-change", .flag, "false"), RPCOption("always-resume", .flag, "true"),
        RPCOption("async-dns", .flag, "true"), RPCOption("check-integrity", .flag, "true"),
        RPCOption("connect-timeout", .number(1...600), "30"),
        RPCOption("content-disposition-default-utf8", .flag, "false"),
        RPCOption("enable-http-keep-alive", .flag, "true"),
        RPCOption("enable-http-pipelining", .flag, "false"), RPCOption("enable-mmap", .flag, "false"),
        RPCOption("file-allocation", .choice(["none", "prealloc", "trunc", "falloc"]), "falloc"),
        RPCOption("follow-metalink", .text, "false"), RPCOption("force-save", .flag, "true"),
        RPCOption("http-accept-gzip", .flag, "false"), RPCOption("http-auth-challenge", .flag, "false"),
        RPCOption("lowest-speed-limit", .size, "0"), RPCOption("max-file-not-found", natural, "0"),
        RPCOption("max-mmap-limit", .size, "9223372036854775807"),
        RPCOption("max-resume-failure-tries", natural, "0"),
        RPCOption("metalink-enable-unique-protocol", .flag, "true"),
        RPCOption("metalink-preferred-protocol", .choice(["http", "https", "ftp", "none"]), "none"),
        RPCOption("min-split-size", .size, "1048576"),
        RPCOption("no-file-allocation-limit", .size, "5242880"),
        RPCOption("no-netrc", .flag, "true"), RPCOption("piece-length", .size, "1048576"),
        RPCOption("proxy-method", .choice(["get", "tunnel"]), "get"),
        RPCOption("realtime-chunk-checksum", .flag, "true"), RPCOption("reuse-uri", .flag, "true"),
        RPCOption("save-not-found", .flag, "true"),
        RPCOption("stream-piece-selector", .text, "default"), RPCOption("timeout", .number(1...600), "20"),
        RPCOption("uri-selector", .text, "feedback"), RPCOption("use-head", .flag, "false"),
    ]

    /// Options of torrents and FTP, which there are none of.
    private static let keptOfTorrents: [RPCOption] = [
        RPCOption("bt-enable-hook-after-hash-check", .flag, "true"),
        RPCOption("bt-enable-lpd", .flag, "false"), RPCOption("bt-force-encryption", .flag, "false"),
        RPCOption("bt-hash-check-seed", .flag, "true"), RPCOption("bt-load-saved-metadata", .flag, "false"),
        RPCOption("bt-max-peers", natural, "55"), RPCOption("bt-metadata-only", .flag, "false"),
        RPCOption("bt-min-crypto-level", .choice(["plain", "arc4"]), "plain"),
        RPCOption("bt-remove-unselected-file", .flag, "false"),
        RPCOption("bt-request-peer-speed-limit", .size, "51200"),
        RPCOption("bt-require-crypto", .flag, "false"), RPCOption("bt-save-metadata", .flag, "false"),
        RPCOption("bt-seed-unverified", .flag, "false"), RPCOption("bt-stop-timeout", natural, "0"),
        RPCOption("bt-tracker-connect-timeout", .number(1...600), "60"),
        RPCOption("bt-tracker-interval", natural, "0"),
        RPCOption("bt-tracker-timeout", .number(1...600), "60"),
        RPCOption("enable-peer-exchange", .flag, "true"), RPCOption("follow-torrent", .text, "false"),
        RPCOption("ftp-pasv", .flag, "true"), RPCOption("ftp-reuse-connection", .flag, "true"),
        RPCOption("ftp-type", .choice(["binary", "ascii"]), "binary"),
        RPCOption("max-upload-limit", .size, "0"), RPCOption("pause-metadata", .flag, "false"),
        RPCOption("seed-ratio", .text, "0"), RPCOption("seed-time", .text, "0"),
    ]

    /// Options of aria2's process, which front-ends show.
    private static let keptOfDaemon: [RPCOption] = [
        RPCOption("auto-save-interval", .number(0...600), "60", isOfDownload: false),
        RPCOption("disk-cache", .size, "16777216", isOfDownload: false),
        RPCOption("keep-unfinished-download-result", .flag, "true", isOfDownload: false),
        RPCOption("max-download-result", natural, "1000", isOfDownload: false),
        RPCOption("min-tls-version", .text, "TLSv1.2", isOfDownload: false),
        RPCOption("optimize-concurrent-downloads", .text, "false", isOfDownload: false),
        RPCOption("save-session-interval", natural, "0", isOfDownload: false),
        RPCOption("summary-interval", natural, "0", isOfDownload: false),
    ]
}
