internal import SegmentedDL
internal import SystemPackage

/// The final names that a mirror assigns after all files of its source are complete, in this order: a file
/// that refers to others follows them.
struct Publication: Sendable, Equatable {
    /// A name, and the file that gets it.
    struct Step: Sendable, Equatable {
        enum Content: Sendable, Equatable {
            /// A file of the mirror, which already has another name.
            case file(RelativePath)
            case bytes([UInt8])
            /// No file.
            case nothing
        }

        var path: RelativePath
        var content: Content
    }

    var steps: [Step] = []

    /// Assigns the names. A name that already has its file is not changed. Blocks.
    ///
    /// - Throws: `DownloadError` of the file system. The names after the failed one are not assigned.
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
