extension Aria2Option {
    private static let noTorrents = "segdl downloads only over http and https and from S3."
    private static let proxies = "All downloads of a daemon use the same proxy; start it with --proxy."
    private static let comparing = "segdl verify compares files with their digests."

    /// The remarks of `segdl fetch` on options that it does not have.
    static let notes = [
        "bt-metadata-only": noTorrents, "follow-torrent": noTorrents, "ftp-user": noTorrents,
        "seed-time": noTorrents, "select-file": noTorrents, "torrent-file": noTorrents,
        "check-integrity": "`segdl verify` checks a file, and --checksum checks a download.",
        "daemon": "Use `segdl serve`, or append & to the command.",
        "enable-rpc": "`segdl serve` is the daemon with aria2's RPC.",
        "metalink-file": ForeignOption.metalink,
        "save-cookies": ForeignOption.noCookies,
        "save-session": "`segdl queue` stores a queue on disk.",
        "stderr": ForeignOption.logFile,
    ]

    /// The remarks of a daemon on values that a call cannot set.
    static let notesOfCalls = [
        "all-proxy": proxies, "http-proxy": proxies, "https-proxy": proxies,
        "check-certificate":
            "All downloads of a daemon check certificates in the same way; start it with segdl serve --insecure.",
        "disable-ipv6": "All downloads of a daemon use the same addresses; start it with --ipv4.",
        "dry-run": "segdl's daemon always downloads whole files.",
        "hash-check-only": comparing,
        "parameterized-uri": "Send each URI literally.",
        "stop": "Stop the daemon with aria2.shutdown.",
    ]

    /// The remarks of `segdl aria2c` on features that segdl does not have.
    static let remedies = [
        "daemon": "Append & to the command, or run segdl serve.",
        "hash-check-only": comparing,
        "metalink-file": "Use segdl mirror FILE DIRECTORY.",
        "multiple-interface": "Choose one with --interface.",
        "netrc-path": "Only ~/.netrc is read.",
        "save-cookies": "segdl does not save cookies; remove the option.",
        "show-files":
            "segdl does not support torrents; segdl mirror --dry-run shows the files of a Metalink.",
        "stop-with-process": "Stop it with a signal, or with --stop=SECONDS.",
        "torrent-file": "segdl downloads only over http and https.",
    ]
}
