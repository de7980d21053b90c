internal import SystemPackage

/// The last step: `NAME.part` becomes `NAME`, whole or not at all.
enum Finalizer {
    /// Renames a complete and verified part file to its final name and removes the manifest. Blocks.
    ///
    /// The order matters: the data and its length are durable before the name appears, the name is durable
    /// before the manifest goes. A kill in between leaves a state that the next run recognises.
    ///
    /// - Returns: The final name, which differs from the wanted one if `policy` is `rename`.
    /// - Throws: `DownloadError` with code `fileExists` or `badPath`, else `StorageError`.
    static func finalize(
        _ part: PartFile, length: Int64, manifest: ManifestStore, policy: ExistingFilePolicy,
        durability: Durability
    ) throws -> FilePath {
        if durability == .power {
            do {
                try part.synchronize()
            } catch {
                try? manifest.forget(after: error)
                throw error
            }
        }
        // The rename goes by name, so the name must still be the file that the bytes went to.
        try part.checkIsWhole(length: length)
        let name = try rename(part, policy: policy)
        if durability == .power { try synchronizeDirectory(of: name) }
        try manifest.remove()
        return name
    }

    private static func rename(_ part: PartFile, policy: ExistingFilePolicy) throws -> FilePath {
        if policy == .replace {
            try storageCall("give the final name to", part.path) {
                try SystemCalls.rename(part.path, to: part.destination)
            }
            return part.destination
        }
        var name = part.destination
        while true {
            do {
                try SystemCalls.renameExclusively(part.path, to: name)
                return name
            } catch Errno.fileExists where policy == .rename {
                name = DestinationChoice.freeName(for: part.destination)
            } catch Errno.fileExists {
                throw DestinationChoice.existsError(name)
            } catch {
                throw StorageError(action: "give the final name to", path: part.path, errno: error)
            }
        }
    }

    /// Makes a name durable (`fsync(2)` of its directory).
    static func synchronizeDirectory(of path: FilePath) throws(StorageError) {
        try storageCall("synchronize the directory of", path) {
            let directory = try FileDescriptor.open(path.directory, .readOnly, options: [.closeOnExec])
            defer { try? directory.close() }
            try SystemCalls.synchronize(directory)
        }
    }
}
