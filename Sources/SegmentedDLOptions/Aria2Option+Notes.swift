extension Aria2Option {
    private static let noTorrents = "segdl downloads over http, https and from S3 only."
    private static let proxies = "All downloads of a daemon use the same proxy; start it with --proxy."
    private static let comparing = "segdl verify compares files with their digests."

    /// The remarks of `segdl fetch` on options that it does not have.
    static let notes = [
        "bt-metadata-only": noTorrents, "follow-torrent": noTorrents, "ftp-user": noTorrents,
        "seed-time": noTorrents, "select-file": noTorrents, "torrent-file": noTorrents,
        "check-integrity": "`segdl verify` checks a file, and --checksum checks a download.",
        "daemon": "Write `segdl serve`, or & behind the command.",
        "enable-rpc": "`segdl serve` is the daemon that speaks aria2's RPC.",
        "metalink-file": ForeignOption.metalink,
        "save-cookies": ForeignOption.noCookies,
        "save-session": "`segdl queue` keeps a queue on the disk.",
        "stderr": ForeignOption.logFile,
    ]

    /// The remarks of a daemon on values that a call cannot set.
    static let notesOfCalls = [
        "all-proxy": proxies, "http-proxy": proxies, "https-proxy": proxies,
        "check-certificate":
            "All downloads of a daemon check certificates alike; start it with segdl serve --insecure.",
        "disable-ipv6": "All downloads of a daemon use the same addresses; start it with --ipv4.",
        "dry-run": "segdl's daemon always downloads whole files.",
        "hash-check-only": comparing,
        "parameterized-uri": "Send each URI as it is.",
        "stop": "End the daemon by aria2.shutdown.",
    ]

    /// The remarks of `segdl aria2c` on work that segdl does not do.
    static let remedies = [
        "daemon": "Write & behind the command, or run segdl serve.",
        "hash-check-only": comparing,
        "metalink-file": "Write segdl mirror FILE DIRECTORY.",
        "multiple-interface": "Name one with --interface.",
        "netrc-path": "Only ~/.netrc is read.",
        "save-cookies": "segdl writes no cookies; remove it.",
        "show-files": "segdl has no torrents, and segdl mirror --dry-run shows the files of a Metalink.",
        "stop-with-process": "Stop it with a signal, or with --stop=SECONDS.",
        "torrent-file": "segdl downloads over http and https only.",
    ]
}
