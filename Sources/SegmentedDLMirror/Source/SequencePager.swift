internal import SegmentedDL

/// Gives a caller's own entries, one by one: when the next one comes, nobody knows.
final class SequencePager<Entries: AsyncSequence>: EntryPager where Entries.Element == MirrorEntry {
    private var iterator: Entries.AsyncIterator

    init(_ entries: Entries) {
        iterator = entries.makeAsyncIterator()
    }

    func next() async throws -> [MirrorEntry]? {
        try await iterator.next(isolation: #isolation).map { [$0] }
    }
}
