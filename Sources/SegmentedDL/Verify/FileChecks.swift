public import SystemPackage

/// The result of checking one file of a list.
public struct FileCheck: Sendable, Equatable {
    /// The entry of the list.
    public var entry: ChecksumList.Entry

    /// The file.
    public var path: FilePath

    /// The digest of the file; `nil` if the file cannot be read.
    public var found: Checksum?

    /// The reason why the file cannot be read, with code `badPath`, `permissionDenied` or `ioFailed`; `nil`
    /// if it was read.
    public var error: DownloadError?

    /// True if the file does not exist.
    public var isMissing: Bool

    /// True if the file has the listed digest.
    public var isRight: Bool { found == entry.checksum }
}

/// The checks of a list's files, one after another: each file is read when its check is requested.
public struct FileChecks: AsyncSequence, Sendable {
    /// The state of one pass over the files.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var entries: ArraySlice<ChecksumList.Entry>
        let directory: FilePath

        /// Reads the next file.
        ///
        /// - Returns: The result, even if the file cannot be read; `nil` after the last file.
        /// - Throws: `CancellationError`; `DownloadError` with code `invalidSetting` if OpenSSL lacks the
        ///   algorithm of the list.
        public mutating func next() async throws -> FileCheck? {
            guard let entry = entries.popFirst() else { return nil }
            let path = directory.pushing(FilePath(entry.name))
            do {
                let found = try await FileDigest.compute([entry.checksum.algorithm], of: path).first
                return FileCheck(entry: entry, path: path, found: found, isMissing: false)
            } catch let error as DownloadError where error.code != .invalidSetting {
                let isMissing = (error.cause as? StorageError)?.errno == .noSuchFileOrDirectory
                return FileCheck(entry: entry, path: path, error: error, isMissing: isMissing)
            }
        }
    }

    let entries: [ChecksumList.Entry]
    let directory: FilePath

    /// Returns an iterator that starts with the first file.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(entries: entries[...], directory: directory)
    }
}

extension ChecksumList {
    /// Returns the checks of the list's files against their digests.
    ///
    /// - Parameter directory: The directory that the names are relative to.
    public func checks(in directory: FilePath) -> FileChecks {
        FileChecks(entries: entries, directory: directory)
    }
}
