internal import SystemPackage

/// Files in a private directory. All functions block.
struct TemporaryFiles: Sendable {
    let path: FilePath

    /// Creates the directory and the files.
    ///
    /// - Throws: `Errno`; no files are left in that case.
    init(_ files: [(name: String, bytes: [UInt8])]) throws {
        path = SystemCalls.temporaryDirectory.appending("segdl-\(UInt64.random(in: 0 ... .max))")
        try SystemCalls.makeDirectory(path)
        do {
            _ = try SystemCalls.setMode(of: path, to: 0o700)
            for file in files {
                let descriptor = try FileDescriptor.open(
                    path.appending(file.name), .writeOnly,
                    options: [.create, .exclusiveCreate, .closeOnExec], permissions: .ownerReadWrite)
                _ = try descriptor.closeAfter { try descriptor.writeAll(file.bytes) }
            }
        } catch {
            remove()
            throw error
        }
    }

    func path(of name: String) -> String { path.appending(name).string }

    /// - Throws: `Errno`.
    func contents(of name: String) throws -> [UInt8] {
        let descriptor = try FileDescriptor.open(path.appending(name), .readOnly, options: .closeOnExec)
        return try descriptor.closeAfter { try descriptor.readAll() }
    }

    /// Removes the directory and all files in it. If this fails, the system cleans up.
    func remove() {
        let options: FileDescriptor.OpenOptions = [.closeOnExec, .directory]
        guard let own = try? FileDescriptor.open(path, .readOnly, options: options) else { return }
        try? own.closeAfter {
            var names: [String] = []
            try SystemCalls.forEachName(in: own) { if let name = $0 { names.append(name) } }
            for name in names { try SystemCalls.remove(name, in: own) }
        }
        let parent = try? FileDescriptor.open(path.removingLastComponent(), .readOnly, options: options)
        guard let parent, let name = path.lastComponent?.string else { return }
        try? parent.closeAfter { try SystemCalls.removeDirectory(name, in: parent) }
    }
}
