/// The options of aria2's input file that only control aria2's transfers. They are ignored.
package enum TransferOptionNames {
    package static let all: Set<String> = [
        "allow-overwrite", "allow-piece-length-change", "always-resume", "async-dns", "auto-file-renaming",
        "check-integrity", "conditional-get", "connect-timeout", "content-disposition-default-utf8",
        "continue",
        "disable-ipv6", "enable-http-keep-alive", "enable-http-pipelining", "file-allocation", "force-save",
        "gid", "http-accept-gzip", "http-no-cache", "lowest-speed-limit", "max-connection-per-server",
        "max-download-limit", "max-file-not-found", "max-mmap-limit", "max-resume-failure-tries", "max-tries",
        "min-split-size", "no-file-allocation-limit", "no-netrc", "no-want-digest-header",
        "parameterized-uri",
        "pause", "piece-length", "realtime-chunk-checksum", "remote-time", "remove-control-file",
        "retry-wait",
        "reuse-uri", "save-not-found", "server-stat-if", "server-stat-of", "split", "stream-piece-selector",
        "timeout", "uri-selector", "use-head",
    ]
}
