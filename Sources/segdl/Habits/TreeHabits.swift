/// The options of wget, rsync, rclone and sha256sum that users give to `segdl mirror` and `segdl verify`.
enum TreeHabits {
    /// Returns a sentence about an option that a subcommand does not have; `nil` if none is known.
    ///
    /// - Parameters:
    ///   - arguments: The whole command line, which tells `-np` from `-n`.
    static func advice(for option: String, of command: NamedCommand, in arguments: [String]) -> String? {
        let table: [String: String]
        switch command.words.first {
        case "mirror": table = mirror
        case "verify": table = verify
        default: return nil
        }
        let whole = arguments.first { $0.hasPrefix(option) && table[$0] != nil }
        return table[whole ?? option]
    }

    private static let isUsual = "segdl mirror always does that, so leave it out."
    private static let place = "Write the directory behind the source: segdl mirror SOURCE DIR."
    private static let dryRun = "Write --dry-run."
    private static let include = "Write --include GLOB."
    private static let exclude = "Write --exclude GLOB."
    private static let depth = "Write --depth N."
    private static let robots = "segdl mirror asks for no robots.txt, so leave it out."

    private static let mirror: [String: String] = [
        "-r": isUsual, "--recursive": isUsual, "-m": isUsual, "--mirror": isUsual, "-np": isUsual,
        "--no-parent": isUsual, "-nH": isUsual, "--no-host-directories": isUsual, "-N": isUsual,
        "--timestamping": isUsual, "-c": isUsual, "--continue": isUsual, "-a": isUsual, "--archive": isUsual,
        "-t": isUsual, "--times": isUsual, "-u": isUsual, "--update": isUsual, "--partial": isUsual,
        "--cut-dirs": isUsual, "-e": robots,
        "-z": "Files are transferred as the server has them, so leave it out.",
        "--compress": "Files are transferred as the server has them, so leave it out.",
        "-P": place, "--directory-prefix": place, "-d": place, "--directory": place, "-o": place,
        "--output": place,
        "-l": depth, "--level": depth, "--max-depth": depth,
        "-A": include, "--accept": include, "--accept-regex": include, "--filter": include,
        "-R": exclude, "--reject": exclude, "--reject-regex": exclude,
        "-n": dryRun, "--spider": dryRun,
        "--delete-after": "Write --delete.", "--delete-before": "Write --delete.",
        "--delete-during": "Write --delete.", "--delete-excluded": "Write --delete-all.",
        "--checksum": "`segdl verify DIR/SHA256SUMS` reads the content of all files.",
        "-i": "Write the list as the source: segdl mirror LIST DIR.",
        "--input": "Write the list as the source: segdl mirror LIST DIR.",
        "--input-file": "Write the list as the source: segdl mirror LIST DIR.",
        "-k": "Pages keep their links as they are.", "--convert-links": "Pages keep their links as they are.",
        "-p": "Only what a listing names is fetched.",
        "--page-requisites": "Only what a listing names is fetched.",
    ]

    private static let isList = "A list of checksums is read without an option: segdl verify SHA256SUMS."
    private static let status = "Write -q, and look at the exit status."

    private static let verify: [String: String] = [
        "-c": isList, "--check": isList, "--status": status,
        "-b": "Files are always read as they are, so leave it out.",
        "--binary": "Files are always read as they are, so leave it out.",
        "-a": "Write --algorithm NAME.", "--ignore-missing": "A missing file always counts as wrong.",
    ]
}
