extension ForeignOption {
    private static let onlyGET = "segdl only downloads; for other requests use curl."
    private static let trees = "To fetch a tree, use `segdl mirror URL DIRECTORY`."
    static let logFile = "Use --log FILE."
    static let metalink = "Use `segdl mirror FILE DIRECTORY`."
    static let noCookies = "segdl does not keep cookies between runs."
    package static let noWaits =
        "segdl does not wait between files; -j 1 -x 1 and --limit-rate reduce the load on the server."

    private static let report =
        "Use --progress json for information about the file, and -vv to show response heads."
    private static let servers = "`segdl mirror` fetches only from the server of its source."

    /// The options of curl, wget, axel and rclone, including those whose names are only short options in
    /// aria2.
    static let ofOthers: [ForeignOption] = withValues + flags + defaults + missing

    private static let withValues: [ForeignOption] = [
        ForeignOption(.value("--user-agent"), "-A", "-U"),
        ForeignOption(.value("--referer"), "-e"),
        ForeignOption(.value("--directory"), "-P", "--output-dir", "--directory-prefix"),
        ForeignOption(.value("--retries"), "-t", "--retry", "--tries"),
        ForeignOption(.value("--retry-delay"), "--waitretry"),
        ForeignOption(.value("--connect-timeout"), "-T"),
        ForeignOption(.value("--low-speed-limit"), "-Y", "--speed-limit"),
        ForeignOption(.value("--low-speed-time"), "-y", "--speed-time", "--read-timeout"),
        ForeignOption(.value("--max-redirects"), "--max-redirect", "--max-redirs"),
        ForeignOption(.value("--output"), "--output-document"),
        ForeignOption(.value("--segments"), "--num-connections", "--multi-thread-streams"),
        ForeignOption(.value("--max-active-files"), "--parallel-max", "--transfers"),
        ForeignOption(.value("--limit-rate"), "--max-speed", "--bwlimit"),
        ForeignOption(.value("--no-proxy"), "--noproxy"),
        ForeignOption(.value("--cert"), "-E"),
        ForeignOption(.value("--cert-type"), "--certificate-type"),
        ForeignOption(.value("--key-type"), "--private-key-type"),
        ForeignOption(.value("--interface"), "--bind-address"),
        ForeignOption(.value("--log"), "-a", "--append-output", "--output-file"),
    ]

    private static let flags: [ForeignOption] = [
        ForeignOption(.flag(["--insecure"]), "--no-check-certificate"),
        ForeignOption(.flag(["--quiet"]), "--silent", "-nv", "--no-verbose"),
        ForeignOption(.flag(["--progress", "none"]), "--no-progress", "--no-progress-meter"),
        ForeignOption(.flag(["--progress", "bar"]), "--progress-bar", "-#"),
        ForeignOption(.flag(["--no-clobber"]), "-nc", "--ignore-existing", "--skip-existing"),
        ForeignOption(.flag(["--if-exists", "update"]), "-N", "--timestamping"),
        ForeignOption(.flag(["--if-exists", "replace"]), "--overwrite", "--clobber", "--force"),
        ForeignOption(.flag(["--dry-run"]), "--spider", "-I", "--head"),
        ForeignOption(.flag(["-4"]), "--ipv4", "--inet4-only"),
        ForeignOption(.flag(["-6"]), "--ipv6", "--inet6-only"),
        ForeignOption(.flag(["-v", "-v"]), "--server-response"),
        ForeignOption(.flag(["--header", "Cache-Control: no-cache"]), "--no-cache"),
        ForeignOption(.flag([]), "--use-server-timestamps"),
        ForeignOption(.flag(["--no-remote-time"]), "--no-use-server-timestamps"),
    ]

    private static let defaults: [ForeignOption] = [
        ForeignOption(
            .isDefault, "-L", "-O", "-f", "-R", "-S", "-J", "-Z", "-g", "--location", "--remote-name",
            "--remote-name-all", "--fail", "--show-error", "--remote-header-name", "--content-disposition",
            "--create-dirs", "--globoff", "--parallel", "--parallel-immediate", "--show-progress",
            "--http2", "--tlsv1.2", "--alternate", "--no-buffer",
            "--retry-connrefused", "--retry-all-errors", "--tcp-nodelay", "--no-hsts",
            "--basic", "--remove-on-error", "--multi-threaded", "--ask-password", "-nd", "--no-directories",
            "-nH", "--no-host-directories"),
        ForeignOption(.isDefaultWithValue, "--prealloc", "--proto", "--proto-redir", "--dns-timeout"),
    ]

    private static let missing: [ForeignOption] = [
        ForeignOption(.missing("\(trees) For a range, use `curl -r`: segdl fetches whole files."), "-r"),
        ForeignOption(.missing("segdl fetches whole files; `curl -r` fetches a range."), "--range"),
        ForeignOption(
            .missing(trees), "--recursive", "--no-parent", "-np", "--accept", "--level",
            "--page-requisites"),
        ForeignOption(
            .missing("\(trees) For the number of tries (-m in aria2), use --tries N."), "-m"),
        ForeignOption(
            .missing(
                "\(trees) In curl, -p uses a tunnel, as segdl does for https; in axel, it shows a percentage."
            ),
            "-p"),
        ForeignOption(
            .missing(onlyGET), "--request", "--data", "--data-raw", "--form", "-F", "-G", "--get",
            "--post-data", "--post-file", "--method", "--upload-file"),
        ForeignOption(
            .missing("\(onlyGET) For a tree without some directories, use `segdl mirror --exclude GLOB`."),
            "-X"),
        ForeignOption(
            .missing("For a limit on the length of each file (a quota in wget), use --max-filesize SIZE."),
            "-Q", "--quota"),
        ForeignOption(.missing("Use --progress json for progress in JSON."), "--json"),
        ForeignOption(
            .missing(
                "Use --fail: the body of an error is never saved, and the message includes the reason that it gives."
            ), "--fail-with-body"),
        ForeignOption(
            .missing(
                "With a value it is curl's cookie: -b NAME=VALUE. For wget's background mode, append & to the command, or use `segdl queue`."
            ), "-b"),
        ForeignOption(.missing("Append & to the command, or use `segdl queue`."), "--background"),
        ForeignOption(
            .missing("\(logFile) For a tree with a depth (-l in wget), use `segdl mirror --depth N`."), "-l"),
        ForeignOption(
            .missing("Use --conf FILE, with one long option per line: limit-rate = 20MiB."), "-K",
            "--config"),
        ForeignOption(.missing("Put the user name and password in the URL of --proxy."), "--proxy-user"),
        ForeignOption(
            .missing("Use -C -, because segdl determines the offset itself."), "-C", "--continue-at"),
        ForeignOption(.missing(noWaits), "--wait", "--random-wait"),
        ForeignOption(
            .missing("Use -N (--if-exists update)."), "-z", "--time-cond", "--etag-compare", "--etag-save"),
        ForeignOption(.missing(report), "--write-out", "--dump-header", "--include"),
        ForeignOption(.missing("In curl: \(report) In wget: \(noWaits)"), "-w"),
        ForeignOption(
            .missing(
                "In curl: \(report) In aria2 it is the daemon: use `segdl serve`. In wget it lists domains: \(servers)"
            ), "-D"),
        ForeignOption(
            .missing("Credentials are sent only to the host of the URL; give the URL of the other host."),
            "--location-trusted"),
        ForeignOption(.missing(metalink), "--metalink", "-M"),
        ForeignOption(.missing("Use --proxy socks5://HOST:PORT."), "--socks5", "--socks5-hostname"),
        ForeignOption(.missing("Use full URLs; `segdl mirror` has --base."), "-B", "--base"),
        ForeignOption(.missing("Give only the URL, without an option."), "--url"),
        ForeignOption(
            .missing("Put all URLs after the options, which apply to each of them."), "--next"),
        ForeignOption(.missing("segdl supports HTTP/1.1 and HTTP/2."), "--http3"),
        ForeignOption(.missing(noCookies), "--cookie-jar"),
        ForeignOption(
            .missing("Include the scheme in the address, as in https://host/path."),
            "--proto-default"),
        ForeignOption(
            .missing("Use --cacert FILE, with the certificates in one file."), "--capath",
            "--ca-directory"),
        ForeignOption(
            .missing(
                "Remove it: TLS 1.3 is used where the server supports it. segdl cannot refuse TLS 1.2; curl can."
            ), "--tlsv1.3"),
        ForeignOption(
            .missing("Use `segdl --version`. A digest given with --checksum is always verified."), "-V"),
    ]
}
