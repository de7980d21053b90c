internal import SystemPackage

/// The names of unfinished downloads' files: a finished file with such a name could be taken for one of them
/// and overwritten or renamed.
package enum OwnFiles {
    /// - Throws: `DownloadError` with code `badPath` for a name with the suffix of a manifest.
    package static func checkName(_ path: FilePath) throws(DownloadError) {
        guard let name = path.lastComponent?.string, SafeFileName.isOfState(name) else { return }
        throw DownloadError(
            .badPath, "'\(path.shown)' has the suffix of a state file; choose another name.")
    }

    /// Checks that no unfinished download stores its bytes in the file with that name: while its manifest
    /// exists, completing it would rename that file. Blocks.
    ///
    /// - Throws: `DownloadError` with code `badPath`, or `StorageError`.
    package static func checkIsNoPartFile(_ path: FilePath) throws {
        let ending = ".part"
        // A file system may be case-insensitive.
        guard let name = path.lastComponent?.string, name.utf8.count > ending.utf8.count,
            name.utf8.suffix(ending.utf8.count).map({ $0 | 0x20 }).elementsEqual(
                ending.utf8.map { $0 | 0x20 })
        else { return }
        let manifest = path.appendingToName(".segdl")
        guard try storageCall("look at", manifest, { try SystemCalls.statusIfThere(manifest) }) != nil else {
            return
        }
        throw DownloadError(
            .badPath,
            "'\(path.shown)' holds the bytes of the unfinished download of '\(name.dropLast(ending.count))', as '\(manifest.shown)' shows; finish or remove that download first, or choose another name."
        )
    }

    /// Checks that an existing part file of a download is not the finished file of another download whose
    /// name ends in `.part`. Its origin mark shows that, if the file system stores one. Blocks.
    ///
    /// - Throws: `DownloadError` with code `badPath`, or `StorageError`.
    static func checkIsNotFinished(_ paths: DownloadPaths) throws {
        guard
            let status = try storageCall(
                "look at", paths.part, { try SystemCalls.statusIfThere(paths.part) }),
            status.kind == .file, OriginMark.ofFile(at: paths.part, status) != nil,
            // Without a manifest, it would be taken for the file of a run that was killed at its last step.
            try storageCall("look at", paths.manifest, { try SystemCalls.statusIfThere(paths.manifest) })
                == nil
        else { return }
        throw DownloadError(
            .badPath,
            "'\(paths.part.shown)' is a finished download, and '\(paths.destination.shown)' needs that name while it is incomplete; move it away, or choose another name."
        )
    }

    /// Returns the name that a file was not given because it is reserved for manifests.
    ///
    /// - Parameter name: The name that it was given (`SafeFileName`).
    static func refusedName(behind name: String) -> String? {
        guard name.last == "_" else { return nil }
        let refused = String(name.dropLast())
        return SafeFileName.isOfState(refused) ? refused : nil
    }
}
