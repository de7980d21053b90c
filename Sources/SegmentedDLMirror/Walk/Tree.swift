internal import SegmentedDL
internal import SystemPackage

/// A directory and what is below it, entered step by step and never through a symbolic link: what is done here is done in
/// it, whoever changes it meanwhile. Every call blocks.
final class Tree {
    /// What became of a file that was to be removed.
    enum Removal: Equatable {
        case removed
        /// It was not there any more.
        case missing
        /// Something else has its name.
        case changed
    }

    let root: FilePath
    private let descriptor: FileDescriptor

    /// - Throws: `StorageError`.
    init(_ root: FilePath) throws(StorageError) {
        self.root = root
        descriptor = try storageCall("open the directory", root) {
            try FileDescriptor.open(root, .readOnly, options: [.directory, .closeOnExec])
        }
    }

    deinit {
        try? descriptor.close()
    }

    /// Removes a file, and the directories that it leaves empty.
    ///
    /// - Parameter identity: Which file it has to be; `nil` for any, but no directory.
    /// - Throws: `StorageError`.
    func remove(_ path: RelativePath, _ identity: FileIdentity?) throws -> Removal {
        do {
            let removal = try within(path.components.dropLast()) { parent in
                let status = try SystemCalls.status(String(path.name), in: parent)
                if let identity {
                    guard status.kind == .file, FileIdentity(status) == identity else {
                        return Removal.changed
                    }
                }
                guard status.kind != .directory else { return .changed }
                try SystemCalls.remove(String(path.name), in: parent)
                return .removed
            }
            if removal == .removed, let parent = path.parent { removeEmpty(parent) }
            return removal
        } catch Errno.noSuchFileOrDirectory {
            return .missing
        } catch Errno.notDirectory, Errno.tooManySymbolicLinkLevels {
            // What was a directory is none, or a link that may lead out of the root.
            return .changed
        } catch let error as Errno {
            throw StorageError(action: "remove", path: root.appending(path.text), errno: error)
        }
    }

    /// Removes directories from one up to the root, as long as they are empty.
    private func removeEmpty(_ directory: RelativePath) {
        var next: RelativePath? = directory
        while let path = next {
            do {
                try within(path.components.dropLast()) { parent in
                    try SystemCalls.removeDirectory(String(path.name), in: parent)
                }
            } catch {
                // That it is not empty is what ends this, and nothing depends on the rest.
                return
            }
            next = path.parent
        }
    }

    private func within<Result>(
        _ components: some Sequence<Substring>, _ body: (FileDescriptor) throws -> Result
    ) throws -> Result {
        var current = descriptor
        defer { if current != descriptor { try? current.close() } }
        for component in components {
            let next = try SystemCalls.openDirectory(String(component), in: current)
            if current != descriptor { try? current.close() }
            current = next
        }
        return try body(current)
    }

    /// Everything below the root that is no directory, one by one.
    ///
    /// - Parameter body: Told of a path; of one that cannot be a path here, as a name that is not UTF-8, as text.
    /// - Throws: `StorageError`, and what `body` throws.
    func forEachFile(_ body: (Result<RelativePath, DownloadError>) throws -> Void) throws {
        try walk(descriptor, nil, body)
    }

    private func walk(
        _ directory: FileDescriptor, _ path: String?,
        _ body: (Result<RelativePath, DownloadError>) throws -> Void
    ) throws {
        do {
            try SystemCalls.forEachName(in: directory) { name in
                guard let name else {
                    let place = root.appending(path ?? "")
                    return try body(
                        .failure(
                            DownloadError(.badPath, "A name in '\(place)' is not UTF-8; remove it yourself."))
                    )
                }
                let text = path.map { "\($0)/\(name)" } ?? name
                // What someone else has renamed or removed meanwhile is not there: another shard, for one.
                guard
                    let isDirectory = try Self.ifThere({
                        try SystemCalls.status(name, in: directory).kind == .directory
                    })
                else { return }
                guard isDirectory else {
                    return try body(Result { () throws(DownloadError) in try RelativePath(onDisk: text) })
                }
                guard let child = try Self.ifThere({ try SystemCalls.openDirectory(name, in: directory) })
                else { return }
                defer { try? child.close() }
                try walk(child, text, body)
            }
        } catch let error as Errno {
            throw StorageError(action: "read the directory", path: root.appending(path ?? ""), errno: error)
        }
    }

    private static func ifThere<Result>(_ body: () throws -> Result) throws -> Result? {
        do {
            return try body()
        } catch Errno.noSuchFileOrDirectory {
            return nil
        }
    }
}
