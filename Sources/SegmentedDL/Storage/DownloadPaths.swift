internal import SystemPackage

/// The paths of a download's files: the final name, and those of the incomplete download.
package struct DownloadPaths: Hashable, Sendable {
    /// The final path.
    package let destination: FilePath
    /// The part file, with the bytes.
    package let part: FilePath

    /// The manifest.
    package var manifest: FilePath { part.appendingToName(".segdl") }
    /// The bytes being copied from another file system.
    package var moving: FilePath { destination.namingBeside(".part.move") }

    package init(_ destination: FilePath, part: FilePath) {
        self.destination = destination
        self.part = part
    }

    /// - Parameter directory: The directory of the part file; `nil` for that of the final name.
    package init(_ destination: FilePath, in directory: FilePath? = nil) {
        self.destination = destination
        part =
            directory.map { $0.appending(Self.name(for: destination)) } ?? destination.namingBeside(".part")
    }

    /// Returns a name that is unique for files of the same name in different directories.
    private static func name(for destination: FilePath) -> String {
        let absolute =
            destination.isAbsolute ? destination : SystemCalls.currentDirectory.pushing(destination)
        let digest = Digest.sha256(absolute.lexicallyNormalized().string.utf8).prefix(16)
        let name = "\(destination.lastComponent?.string ?? "")-\(digest)"
        return (name.utf8.count <= SafeFileName.cutLength ? name : String(digest)) + ".part"
    }
}

extension FilePath {
    /// Returns the path of a temporary file that accompanies or replaces this file.
    ///
    /// A name that is too long for the suffixes is shortened, with a digest that makes it unique.
    ///
    /// - Parameter ending: The suffix to append, not longer than `.part.move`.
    package func namingBeside(_ ending: String) -> FilePath {
        guard let name = lastComponent?.string, name.utf8.count > SafeFileName.longestWithEndings else {
            return appendingToName(ending)
        }
        let mark = "-\(Digest.sha256(name.utf8).prefix(16))"
        let stem = SafeFileName.prefix(of: name, bytes: SafeFileName.longestWithEndings - mark.utf8.count)
        return removingLastComponent().appending(stem + mark + ending)
    }
}
