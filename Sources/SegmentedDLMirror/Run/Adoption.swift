internal import SegmentedDL

/// The decision whether a file that no run has fetched from this source counts as the source's file, by its
/// size and its date alone.
enum Adoption {
    /// The most seconds by which dates of the same file differ: FAT keeps even seconds, and rounds them
    /// either way.
    private static let toleranceSeconds: Int64 = 2

    /// Returns true if a file has the size and the date that the server states. A server that does not state
    /// both leaves nothing to go by.
    static func isSame(_ found: FileIdentity, size: Int64?, lastModified: String?) -> Bool {
        guard size == found.size, let date = lastModified.flatMap(HTTPDate.seconds) else { return false }
        // Dates of HTTP have no fraction.
        let (seconds, rest) = found.modified.quotientAndRemainder(dividingBy: 1_000_000_000)
        return abs(seconds - (rest < 0 ? 1 : 0) - date) <= toleranceSeconds
    }
}

extension WaitingFile {
    /// True if no run has fetched the file from one of its sources, and there is no digest to know it by.
    var isUnknownHere: Bool {
        guard item.strongestChecksum == nil else { return false }
        return record.map { item.source(of: $0.url) == nil } ?? true
    }
}
