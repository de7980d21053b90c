import SegmentedDLOptions

/// The options of wget, rsync, rclone and sha256sum that users give to `segdl mirror` and `segdl verify`.
enum TreeOptionAdvice {
    /// Returns an option that the subcommand does not have, as typed, and advice about it; `nil` if there is
    /// none.
    ///
    /// - Parameters:
    ///   - arguments: The whole command line, which distinguishes `-np` from `-n`.
    static func advice(
        for option: String, of command: NamedCommand, in arguments: [String]
    ) -> (option: String, sentence: String)? {
        let table: [String: String]
        switch command.words.first {
        case "mirror": table = mirror
        case "verify": table = verify
        default: return nil
        }
        let whole = arguments.first { $0.hasPrefix(option) && table[$0] != nil }
        let typed = whole ?? option
        return table[typed].map { (typed, $0) }
    }

    private static let isUsual = "segdl mirror always does that, so remove it."
    private static let place = "Put the directory after the source: segdl mirror SOURCE DIR."
    private static let dryRun = "Use --dry-run."
    private static let quiet = "Use -q, which shows only errors."
    private static let include = "Use --include GLOB."
    private static let exclude = "Use --exclude GLOB."
    private static let depth =
        "Use --depth with one less, because it counts only the levels below SOURCE: --max-depth 1 of rclone and -l 1 of wget are --depth 0. The default is all levels."
    private static let byName = "Files are selected by name: --include, --exclude, --depth."
    private static let servers = "Files come only from the server of SOURCE, so remove it."
    private static let paths = "Files have the same paths in DIR as in SOURCE, so remove it."
    private static let changed =
        "segdl mirror checks whether each file has changed (by its ETag or date), so remove it."
    private static let replaces =
        "segdl mirror replaces files that differ from the source; --exclude GLOB protects your own."
    private static let files = "Use the list of files as the source: segdl mirror LIST DIR."
    private static let speed = "It is limited by -j, -x and --limit-rate."
    private static let report = "Use --progress json for progress in JSON, and --log FILE for a log."
    private static let robots = "segdl mirror does not read robots.txt, so remove it."

    private static let password = "Use -u NAME:PASSWORD; -u NAME alone prompts for the password."

    private static let mirror: [String: String] = [
        "--password": password, "--http-password": password, "--http-passwd": password,
        "-r": isUsual, "--recursive": isUsual, "-m": isUsual, "--mirror": isUsual, "-np": isUsual,
        "--no-parent": isUsual, "-nH": isUsual, "--no-host-directories": isUsual, "-N": isUsual,
        "--timestamping": isUsual, "-c": isUsual, "--continue": isUsual, "-a": isUsual, "--archive": isUsual,
        "-t": isUsual, "--times": isUsual, "-u": replaces, "--update": replaces, "--partial": isUsual,
        "--cut-dirs": isUsual, "--links": isUsual, "--whole-file": isUsual, "--inplace": isUsual,
        "--relative": isUsual, "--no-clobber": replaces, "-nc": replaces, "-e": robots, "--robots": robots,
        "--size-only": changed, "--ignore-times": changed, "--ignore-existing": replaces,
        "--immutable": changed, "--metadata": changed,
        "--checkers": speed, "--fast-list": speed, "--tpslimit": speed, "--buffer-size": speed,
        "--max-threads": speed, "--chunk-size": speed, "--low-level-retries": "Use --retries N.",
        "--wait": ForeignOption.noWaits, "-w": ForeignOption.noWaits, "--random-wait": ForeignOption.noWaits,
        "--contimeout": "Use --connect-timeout SECONDS.",
        "--http-url": "Use the URL as the source: segdl mirror URL DIR.",
        "--stats": report, "--use-json-log": report, "--log-file": report, "--log-level": report,
        "--itemize-changes": "Use -v, which shows each file and its outcome.",
        "--list-only": dryRun, "--files-from": files, "--exclude-from": exclude,
        "-X": exclude, "--exclude-directories": exclude, "-I": include, "--include-directories": include,
        "-D": servers, "--domains": servers, "--span-hosts": servers,
        "--protocol-directories": paths, "-E": paths, "--adjust-extension": paths,
        "--restrict-file-names": paths, "--max-age": byName, "--min-size": byName,
        "--max-size": byName, "--quota": byName, "-Q": byName,
        "-z": "Files are transferred unchanged, so remove it.",
        "--compress": "Files are transferred unchanged, so remove it.",
        "-P": place, "--directory-prefix": place, "-d": place, "--directory": place, "-o": place,
        "--output": place,
        "-l": depth, "--level": depth, "--max-depth": depth,
        "-A": include, "--accept": include, "--accept-regex": include, "--filter": include,
        "-R": exclude, "--reject": exclude, "--reject-regex": exclude,
        "-n": dryRun, "--spider": dryRun, "-nv": quiet, "--no-verbose": quiet,
        "-nd": paths, "--no-directories": paths, "--force-directories": paths,
        "--delete-after": "Use --delete.", "--delete-before": "Use --delete.",
        "--delete-during": "Use --delete.", "--delete-excluded": "Use --delete-all.",
        "--checksum": "`segdl verify DIR/SHA256SUMS` reads the content of all files.",
        "-i": "Use the list as the source: segdl mirror LIST DIR.",
        "--input": "Use the list as the source: segdl mirror LIST DIR.",
        "--input-file": "Use the list as the source: segdl mirror LIST DIR.",
        "-k": "Links in pages are not converted.", "--convert-links": "Links in pages are not converted.",
        "-p": "Only files in a listing are fetched.",
        "--page-requisites": "Only files in a listing are fetched.",
    ]

    private static let isList = "A list of checksums is read without an option: segdl verify SHA256SUMS."
    private static let status = "Use -q, and check the exit status."

    private static let verify: [String: String] = [
        "-c": isList, "--check": isList, "--status": status,
        "-b": "Files are always read unchanged, so remove it.",
        "--binary": "Files are always read unchanged, so remove it.",
        "-a": "Use --algorithm NAME.",
    ]
}
