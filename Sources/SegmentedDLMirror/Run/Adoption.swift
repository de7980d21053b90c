internal import SegmentedDL

/// Decides, by size and date alone, whether a file that no run has fetched from this source is the source's
/// file.
enum Adoption {
    /// The maximum difference in seconds between dates of the same file. FAT stores even seconds, rounded in
    /// either direction.
    private static let toleranceSeconds: Int64 = 2

    /// Returns true if a file has the size and date stated by the server. If the server does not state both,
    /// this proves nothing.
    static func isSame(_ found: FileIdentity, size: Int64?, lastModified: String?) -> Bool {
        guard size == found.size, let date = lastModified.flatMap(HTTPDate.seconds) else { return false }
        // HTTP dates have no fractional seconds.
        let (seconds, rest) = found.modified.quotientAndRemainder(dividingBy: 1_000_000_000)
        return abs(seconds - (rest < 0 ? 1 : 0) - date) <= toleranceSeconds
    }
}

extension WaitingFile {
    /// True if no run has fetched the file from one of its sources, and no digest identifies it.
    var isUnknownHere: Bool {
        guard item.strongestChecksum == nil else { return false }
        return record.map { item.source(of: $0.url) == nil } ?? true
    }
}
