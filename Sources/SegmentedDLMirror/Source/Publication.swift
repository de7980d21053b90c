internal import SegmentedDL
internal import SystemPackage

/// Names that a mirror gives once all files of its source are there, in this order: a file that names others
/// comes after them.
struct Publication: Sendable, Equatable {
    /// A name, and what has it then.
    struct Step: Sendable, Equatable {
        enum Content: Sendable, Equatable {
            /// A file of the mirror, which has another name already.
            case file(RelativePath)
            case bytes([UInt8])
            /// No file.
            case nothing
        }

        var path: RelativePath
        var content: Content
    }

    var steps: [Step] = []

    /// Gives the names. A name that has its file already stays as it is. Blocks.
    ///
    /// - Throws: `DownloadError` of the file system. The names behind the one that failed are not given.
    func publish(below root: FilePath) throws(DownloadError) {
        for step in steps {
            let place = root.appending(step.path.text)
            do throws(StorageError) {
                try storageCall("write", place) { try Self.carryOut(step.content, at: place, below: root) }
            } catch {
                throw error.asDownloadError
            }
        }
    }

    private static func carryOut(
        _ content: Step.Content, at place: FilePath, below root: FilePath
    ) throws(Errno) {
        switch content {
        case .file(let file):
            try HubLinks.makeDirectories(place.removingLastComponent())
            try HubLinks.name(root.appending(file.text), place)
        case .bytes(let bytes):
            guard try HubLinks.contents(of: place, atMost: bytes.count) != bytes else { return }
            try HubLinks.makeDirectories(place.removingLastComponent())
            try HubLinks.write(bytes, to: place)
        case .nothing:
            if try SystemCalls.statusIfThere(place) != nil { try SystemCalls.remove(place) }
        }
    }
}
