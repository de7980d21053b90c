internal import SystemPackage

/// A manifest on its way to its name, and after that the file that its journal is appended to.
struct ManifestDraft: Sendable {
    private let path: FilePath
    private let file: FileDescriptor

    static func path(beside path: FilePath) -> FilePath { path.appendingToName(".new") }

    /// Writes a manifest beside the one it will replace. Blocks.
    ///
    /// - Parameter durably: Whether it is synced before it takes the name. Without that, a file system may
    ///   show an empty file of that name after a power cut.
    init(_ manifest: Manifest, beside path: FilePath, durably: Bool) throws {
        self.path = path
        let bytes = try ManifestCodec.encode(manifest)
        let fresh = Self.path(beside: path)
        file = try storageCall("open", fresh) {
            try FileDescriptor.open(
                fresh, .writeOnly, options: [.create, .truncate, .append, .closeOnExec, .noFollow],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
        }
        do {
            try storageCall("write", fresh) {
                _ = try file.writeAll(bytes)
                if durably { try SystemCalls.synchronizeData(file) }
            }
        } catch {
            close()
            throw error
        }
    }

    /// Gives it the name. Blocks.
    func publish() throws(StorageError) {
        try storageCall("replace", path) { try SystemCalls.rename(Self.path(beside: path), to: path) }
    }

    /// Notes that a byte range has been written. The note is in the page cache when this returns, so it
    /// outlives the process, though not a power cut.
    func append(_ range: ByteRange) {
        // If there is no room for the note, the next manifest says so, loudly; until then nothing is lost.
        _ = try? file.writeAll(ManifestCodec.encode(range))
    }

    func close() {
        try? file.close()
    }
}
