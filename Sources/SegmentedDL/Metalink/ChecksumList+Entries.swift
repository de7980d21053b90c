extension ChecksumList {
    /// Reads the digests of described files, such as the entries of a mirror's proof. If a file has several
    /// digests, the strongest is used.
    ///
    /// - Parameter entries: The files, with paths relative to one directory.
    /// - Throws: `DownloadError` with code `invalidSetting` for a file without a digest or an unusable entry,
    ///   and the errors of the sequence.
    public init<Entries: AsyncSequence & Sendable>(_ entries: Entries) async throws
    where Entries.Element == MirrorEntry {
        var list = ChecksumList("")
        for try await entry in entries {
            switch entry {
            case .unusable(let entry):
                throw DownloadError(.invalidSetting, "\(entry.place): \(entry.reason)")
            case .item(let item):
                guard let checksum = item.strongestChecksum else {
                    throw DownloadError(
                        .invalidSetting, "'\(item.path.text)' has no digest; use another list.")
                }
                list.entries.append(Entry(name: item.path.text, checksum: checksum))
            }
        }
        self = list
    }
}
