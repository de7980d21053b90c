/// The mutually exclusive options of a command line.
enum ExclusiveOptions {
    private static let pairs: [Set<String>] = [
        ["--quiet", "--verbose"], ["--quiet", "--progress"], ["--continue", "--restart"], ["-4", "-6"],
        ["--digest", "--anyauth"],
        ["--proxy-digest", "--proxy-anyauth"], ["--encoded", "--compressed"], ["--delete", "--delete-all"],
        ["--proof", "--no-proof"], ["--require-proof", "--no-proof"], ["--proof-key", "--no-proof"],
        ["--queue", "--remote"],
        ["--keep-running", "--until-idle"],
        ["--rpc-secret", "--rpc-secret-file"],
    ]

    /// Returns true if an option is excluded by one of the others. All must be long names, if they have any.
    static func excludes(_ name: String, _ others: Set<String>) -> Bool {
        pairs.contains { $0.contains(name) && !$0.subtracting([name]).isDisjoint(with: others) }
    }
}
