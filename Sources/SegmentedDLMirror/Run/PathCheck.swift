package import SystemPackage

/// A check of the path of a file that may be fetched. It equals only itself, because functions have no
/// equality.
package final class PathCheck: Sendable, Hashable {
    /// Runs on a thread that may block. Its error is the file's failure.
    let run: @Sendable (FilePath) throws -> Void

    package init(_ run: @escaping @Sendable (FilePath) throws -> Void) {
        self.run = run
    }

    package static func == (one: PathCheck, other: PathCheck) -> Bool { one === other }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
