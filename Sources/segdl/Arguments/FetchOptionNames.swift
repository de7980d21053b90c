/// The options of `segdl fetch`; a test compares them with its help.
enum FetchOptionNames {
    /// The options with a value.
    static let valued: Set<String> = [
        "--output", "-o", "--directory", "-d", "--checksum", "--if-exists", "--durability", "--on-complete",
        "--segments", "-s", "--max-connections", "-x", "--max-connections-per-host", "--max-active-files",
        "-j",
        "--queue-order", "--min-segment-size", "--limit-rate", "--limit-rate-per-file", "--header", "-H",
        "--user", "-u", "--netrc-file", "--no-proxy", "--cookie-file", "--user-agent", "--referer", "--proxy",
        "--http-proxy", "--https-proxy",
        "--cacert", "--cert", "--cert-type", "--key", "--key-type", "--pass", "--pass-file",
        "--interface", "--resolve", "--retries", "--retry-max-time", "--retry-delay", "--connect-timeout",
        "--low-speed-limit",
        "--low-speed-time", "--first-byte-timeout", "--max-redirects", "--endpoint-url", "--region",
        "--profile",
        "--progress", "--input", "-i", "--trace", "--log", "--failed", "--mirror", "--max-time",
        "--max-filesize", "--expect-type", "--require-proof", "--proof-key",
    ]

    static let flags: Set<String> = [
        "--no-server-digest", "--no-proof", "--trust-server-names", "--encoded", "--compressed",
        "--follow-links",
        "--stream-order", "--dry-run",
        "--restart",
        "--continue", "-c",
        "--no-clobber", "--no-remote-time",
        "--no-resume-check", "--digest", "--anyauth", "--netrc", "--proxy-digest", "--proxy-anyauth",
        "--insecure", "-4", "-6", "--http1.1", "--no-cookies", "--insecure-redirects", "--no-sign-request",
        "--quiet", "-q",
        "--verbose",
        "-v", "--version", "--help", "-h",
    ]
}
