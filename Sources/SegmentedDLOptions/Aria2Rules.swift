package import SegmentedDL

/// The meaning of aria2's options (aria2's manual), the same for its command line and for calls.
package enum Aria2Rules {
    /// The most connections of a file (`--split`, `--max-connection-per-server`).
    ///
    /// - Parameters:
    ///   - split: The most connections; `nil` for no bound.
    ///   - perServer: The most connections to one host; `nil` for no bound.
    ///   - hosts: The number of hosts that the sources have.
    package static func connections(split: Int?, perServer: Int?, hosts: Int) -> Int {
        let (all, isTooMuch) = (perServer ?? .max).multipliedReportingOverflow(by: max(1, hosts))
        return max(1, min(split ?? .max, isTooMuch ? .max : all, mostConnections))
    }

    /// More connections than these would only open more files than a process may have.
    package static let mostConnections = 512

    /// The action for a name that is taken (`--conditional-get`, `--allow-overwrite`,
    /// `--auto-file-renaming`).
    package static func ifExists(
        isConditional: Bool, mayOverwrite: Bool, mayRename: Bool
    ) -> ExistingFilePolicy {
        if isConditional { return .update }
        if mayOverwrite { return .replace }
        return mayRename ? .rename : .fail
    }
}
