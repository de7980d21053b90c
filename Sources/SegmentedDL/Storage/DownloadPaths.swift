internal import SystemPackage

/// The paths of a download's files: the final name, and those that exist until it appears.
package struct DownloadPaths: Hashable, Sendable {
    /// The final name.
    package let destination: FilePath
    /// The part file, with the bytes.
    package let part: FilePath

    /// The manifest.
    package var manifest: FilePath { part.appendingToName(".segdl") }
    /// The bytes on their way from another file system.
    package var moving: FilePath { destination.appendingToName(".part.move") }

    package init(_ destination: FilePath, part: FilePath) {
        self.destination = destination
        self.part = part
    }

    /// - Parameter directory: The directory of the part file; `nil` for that of the final name.
    package init(_ destination: FilePath, in directory: FilePath? = nil) {
        self.destination = destination
        part =
            directory.map { $0.appending(Self.name(for: destination)) }
            ?? destination.appendingToName(".part")
    }

    /// Returns a name that files of the same name in different directories do not share.
    private static func name(for destination: FilePath) -> String {
        let absolute =
            destination.isAbsolute ? destination : SystemCalls.currentDirectory.pushing(destination)
        let digest = Digest.sha256(absolute.lexicallyNormalized().string.utf8).prefix(16)
        let name = "\(destination.lastComponent?.string ?? "")-\(digest)"
        return (name.utf8.count <= SafeFileName.longest ? name : String(digest)) + ".part"
    }
}
