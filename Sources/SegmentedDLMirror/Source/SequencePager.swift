internal import SegmentedDL

/// Reads a caller's entries one by one. The next one may arrive at any time.
final class SequencePager<Entries: AsyncSequence>: EntryPager where Entries.Element == MirrorEntry {
    private var iterator: Entries.AsyncIterator

    init(_ entries: Entries) {
        iterator = entries.makeAsyncIterator()
    }

    func next() async throws -> [MirrorEntry]? {
        try await iterator.next(isolation: #isolation).map { [$0] }
    }
}
