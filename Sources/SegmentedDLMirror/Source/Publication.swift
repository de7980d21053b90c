internal import SegmentedDL
internal import SystemPackage

/// The final names that a mirror assigns after all files of its source are complete, in this order: a file
/// that refers to others comes after them.
struct Publication: Sendable, Equatable {
    /// A name, and the file that it is assigned to.
    struct Step: Sendable, Equatable {
        enum Content: Sendable, Equatable {
            /// A file of the mirror, which exists under another name.
            case file(RelativePath)
            case bytes([UInt8])
            /// No file; the name is removed.
            case nothing
        }

        var path: RelativePath
        var content: Content
    }

    var steps: [Step] = []
    /// The names that are removed first if the run removes files that its source does not list, because they
    /// refer to such files.
    var obsolete: [RelativePath] = []

    /// Assigns the names. A name that already has its file is not changed. Blocks.
    ///
    /// - Parameter removes: True to remove the obsolete names.
    /// - Throws: `DownloadError` for an error of the file system. The names after the failed one are not
    ///   assigned.
    func publish(below root: FilePath, removes: Bool) throws(DownloadError) {
        let removals = removes ? obsolete.map { Step(path: $0, content: .nothing) } : []
        for step in removals + steps {
            let place = root.appending(step.path.text)
            do throws(StorageError) {
                try storageCall("write", place) { try Self.carryOut(step.content, at: place, below: root) }
            } catch {
                throw error.asDownloadError
            }
        }
    }

    /// Checks that the mirror contains no suites other than the published ones, because its packages would be
    /// removed. Blocks.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` if it does, or an error of the file system.
    func checkIsAlone(below root: FilePath) throws {
        let own = Set(steps.compactMap { $0.path.parent?.text })
        guard let other = try Self.suite(below: root.appending("dists"), "dists", besides: own) else {
            return
        }
        throw DownloadError(
            .invalidSetting,
            "'\(root)' also contains the suite '\(other)', whose packages would be removed; mirror all suites in one run, or omit --delete."
        )
    }

    /// Returns a directory with a Release file that is not one of `known`; `nil` if there is none.
    private static func suite(below place: FilePath, _ path: String, besides known: Set<String>) throws
        -> String?
    {
        guard let status = try SystemCalls.statusIfThere(place), status.kind == .directory else { return nil }
        let directory = try FileDescriptor.open(place, .readOnly, options: [.directory, .closeOnExec])
        return try directory.closeAfter {
            var names: [String] = []
            try SystemCalls.forEachName(in: directory) { name in if let name { names.append(name) } }
            if known.contains(path) { return nil }
            if names.contains("InRelease") || names.contains("Release") { return path }
            for name in names.sorted() {
                if let found = try suite(below: place.appending(name), path + "/" + name, besides: known) {
                    return found
                }
            }
            return nil
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
