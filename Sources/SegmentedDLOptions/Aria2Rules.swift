package import SegmentedDL

/// The meaning of aria2's options (aria2's manual), the same on the command line and in calls.
package enum Aria2Rules {
    /// The maximum number of connections for a file (`--split`, `--max-connection-per-server`).
    ///
    /// - Parameters:
    ///   - split: The maximum number of connections; `nil` for no limit.
    ///   - perServer: The maximum number of connections to one host; `nil` for no limit.
    ///   - hosts: The number of hosts among the sources.
    package static func connections(split: Int?, perServer: Int?, hosts: Int) -> Int {
        let (all, isTooMuch) = (perServer ?? .max).multipliedReportingOverflow(by: max(1, hosts))
        return max(1, min(split ?? .max, isTooMuch ? .max : all, mostConnections))
    }

    /// More connections could exceed the limit on open files of a process.
    package static let mostConnections = 512

    /// The action for an existing file (`--conditional-get`, `--allow-overwrite`, `--auto-file-renaming`).
    package static func ifExists(
        isConditional: Bool, mayOverwrite: Bool, mayRename: Bool
    ) -> ExistingFilePolicy {
        if isConditional { return .update }
        if mayOverwrite { return .replace }
        return mayRename ? .rename : .fail
    }
}
