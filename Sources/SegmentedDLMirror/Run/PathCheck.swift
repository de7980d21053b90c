package import SystemPackage

/// A check of a file's path before the file is fetched. An instance is equal only to itself, because
/// functions cannot be compared.
package final class PathCheck: Sendable, Hashable {
    /// Runs on a thread that may block. If it throws an error, the file fails with that error.
    let run: @Sendable (FilePath) throws -> Void

    package init(_ run: @escaping @Sendable (FilePath) throws -> Void) {
        self.run = run
    }

    package static func == (one: PathCheck, other: PathCheck) -> Bool { one === other }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
