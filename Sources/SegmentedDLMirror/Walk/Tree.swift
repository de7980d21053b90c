internal import SegmentedDL
internal import SystemPackage

/// A directory tree, traversed step by step and never through a symbolic link. All changes are made inside
/// the tree, even if another program changes it concurrently. Every call blocks.
final class Tree {
    /// The result of a removal.
    enum Removal: Equatable {
        case removed
        /// The file did not exist.
        case missing
        /// Another file has this name.
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

    /// Removes a file, and the directories that this leaves empty.
    ///
    /// - Parameter identity: The identity that the file must have; `nil` for any file except a directory.
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
            // A component is no longer a directory, or it is a link that may lead outside the root.
            return .changed
        } catch let error as Errno {
            throw StorageError(action: "remove", path: root.appending(path.text), errno: error)
        }
    }

    /// Returns true if the directory of a path exists and is not reached through a link.
    func reaches(_ path: RelativePath) -> Bool {
        (try? within(path.components.dropLast()) { _ in }) != nil
    }

    /// Removes a directory and its ancestors up to the root, as long as they are empty.
    func removeEmpty(_ directory: RelativePath) {
        var next: RelativePath? = directory
        while let path = next {
            do {
                try within(path.components.dropLast()) { parent in
                    try SystemCalls.removeDirectory(String(path.name), in: parent)
                }
            } catch {
                // The first directory that is not empty ends the loop; other failures are harmless.
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

    /// Calls `body` with each path below the root that is not a directory.
    ///
    /// - Parameter body: Called with a path, or with an error for a name that is not a valid path, such as
    ///   one that is not UTF-8.
    /// - Throws: `StorageError`, and the errors of `body`.
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
                            DownloadError(.badPath, "A name in '\(place)' is not UTF-8; remove it manually."))
                    )
                }
                let text = path.map { "\($0)/\(name)" } ?? name
                // Skip a file that another program, such as another shard, has renamed or removed in the
                // meantime.
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
