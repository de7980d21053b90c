package import SystemPackage

/// The features that downloads use and a directory's file system lacks, determined by testing them.
package struct DirectoryAbilities: Sendable, Equatable {
    package var lacks: Set<FileSystemFeature> = []
    /// True if dates have a resolution coarser than a second.
    package var hasCoarseDates = false
    /// True if `makefile` and `Makefile` are the same name.
    package var mergesLetters = false
    /// The tested characters that are refused in names.
    package var refusedCharacters = ""

    package init() {}

    /// Tests each feature with its own files, which are then removed.
    ///
    /// - Throws: `Errno` if no file can be created in the directory.
    package init(of directory: FilePath) throws(Errno) {
        let path = directory.appending(".segdl-doctor-\(UInt64.random(in: 0...UInt64.max))")
        let other = FilePath(path.string + ".renamed")
        let file = try Self.open(path, options: [.create, .exclusiveCreate])
        defer {
            try? file.close()
            try? SystemCalls.remove(path)
            try? SystemCalls.remove(other)
        }
        for feature in FileSystemFeature.allCases {
            if (try? Self.has(feature, file, path, other, in: directory)) != true { lacks.insert(feature) }
        }
        // Repeated, because tests of other features have changed the file since.
        if !lacks.contains(.dates), (try? Self.has(.dates, file, path, other, in: directory)) == true,
            let status = try? SystemCalls.status(path)
        {
            hasCoarseDates = status.modified / 1_000_000_000 % 2 == 0
        }
        mergesLetters = NameProbe.mergesLetters(in: directory)
        refusedCharacters = ["\"*:<>?|", "é", "漢"].filter { NameProbe.refuses($0, in: directory) }.joined()
    }

    private static func has(
        _ feature: FileSystemFeature, _ file: FileDescriptor, _ path: FilePath, _ other: FilePath,
        in directory: FilePath
    ) throws -> Bool {
        switch feature {
        case .locks: return try locks(path, file)
        // An odd second, which FAT does not store.
        case .dates: return try SystemCalls.setModified(file, 1_600_000_001)
        case .attributes:
            try SystemCalls.setAttribute("user.segdl.doctor", "1", of: file)
            return true
        case .unnamedFiles:
            guard let unnamed = try SystemCalls.openUnnamed(in: directory) else { return false }
            try unnamed.close()
            return true
        case .reservedBlocks: return try SystemCalls.reserve(file, length: 4_096)
        case .lengths:
            try SystemCalls.truncate(file, to: 8_192)
            return true
        case .exclusiveNames: return try moves(path, other, SystemCalls.renameInOneStep)
        case .links: return try moves(path, other, SystemCalls.renameWithLink)
        case .modes: return try SystemCalls.setMode(of: path, to: 0o600)
        case .fileSync: return try SystemCalls.synchronizeData(file)
        case .directorySync: return try SystemCalls.synchronizeNames(in: directory)
        }
    }

    /// Moves a file to another name and back.
    private static func moves(
        _ path: FilePath, _ other: FilePath, _ move: (FilePath, FilePath) throws(Errno) -> Bool
    ) throws -> Bool {
        guard try move(path, other) else { return false }
        try SystemCalls.rename(other, to: path)
        return true
    }

    /// Returns true if a second lock of the same file is refused.
    private static func locks(_ path: FilePath, _ file: FileDescriptor) throws -> Bool {
        guard try SystemCalls.lock(file) else { return false }
        let second = try open(path, options: [])
        defer { try? second.close() }
        return (try? SystemCalls.lock(second)) == nil
    }

    private static func open(
        _ path: FilePath, options: FileDescriptor.OpenOptions
    ) throws(Errno) -> FileDescriptor {
        do {
            return try FileDescriptor.open(
                path, .readWrite, options: options.union(.closeOnExec), permissions: [.ownerReadWrite])
        } catch {
            throw error as? Errno ?? .ioError
        }
    }
}
