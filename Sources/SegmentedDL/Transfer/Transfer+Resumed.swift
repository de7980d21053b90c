internal import Logging

/// Bytes left by an earlier run, to be compared with the fingerprint of their extent.
struct ResumedExtent: Equatable, Sendable {
    var extent: Extent
    /// The trusted bytes of the extent.
    var trusted: ByteRangeSet

    /// Returns the extents to compare for the bytes trusted by a resume.
    static func list(_ extents: ExtentList, trusted: ByteRangeSet) -> [ResumedExtent] {
        extents.extents.compactMap { extent in
            let trusted = trusted.intersection(ByteRangeSet(extent.range))
            return trusted.isEmpty ? nil : ResumedExtent(extent: extent, trusted: trusted)
        }
    }
}

extension Transfer {
    /// Reads the bytes left by an earlier run, while others are fetched, and marks those that have changed
    /// since as missing.
    ///
    /// - Throws: `StorageError`, or `CancellationError`.
    func checkResumed() async throws {
        var changed: Int64 = 0
        for resumed in resumed {
            try Task.checkCancellation()
            let isIntact = try await DiskThread.run { [writer] in
                try resumed.extent.isIntact(in: writer.part)
            }
            if isIntact { continue }
            for range in resumed.trusted.ranges { writer.takeBack(range) }
            changed += resumed.trusted.byteCount
        }
        guard changed > 0 else { return }
        configuration.logger.notice(
            "\(writer.part.destination.shown): bytes of the earlier run have changed on the disk; fetching \(changed) bytes again"
        )
    }
}
