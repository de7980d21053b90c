import SegmentedDLSupport

@testable import SegmentedDL
@testable import SegmentedDLMirror

/// Entries that count how many of them were requested.
final class ManyEntries: AsyncSequence, Sendable {
    let count: Int
    private let asked = Lock(0)

    init(count: Int) {
        self.count = count
    }

    var given: Int { asked.withLock { $0 } }

    func makeAsyncIterator() -> Iterator { Iterator(entries: self) }

    struct Iterator: AsyncIteratorProtocol {
        let entries: ManyEntries
        var index = 0

        mutating func next() async throws -> MirrorEntry? {
            guard index < entries.count else { return nil }
            index += 1
            entries.asked.withLock { $0 += 1 }
            return .item(
                MirrorItem([try Source("http://host/\(index)")], path: try RelativePath("many/\(index)")))
        }
    }
}
