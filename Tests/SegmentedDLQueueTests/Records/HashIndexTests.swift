import Testing

@testable import SegmentedDLQueue

@Suite("The index of downloads by hashed keys")
struct HashIndexTests {
    private let one = Receipt.ID(rawValue: 1)
    private let two = Receipt.ID(rawValue: 2)

    @Test("finds them until they are removed")
    func found() {
        var index = HashIndex<String>()
        #expect(index.candidate(for: "a") == nil)
        index.insert(one, for: "a")
        index.insert(two, for: "b")
        #expect(index.candidate(for: "a") == one && index.candidate(for: "b") == two)
        index.remove(one, for: "a")
        #expect(index.candidate(for: "a") == nil && index.candidate(for: "b") == two)
    }

    @Test("keeps a key that was taken over when its earlier owner is removed")
    func takenOver() {
        var index = HashIndex<String>()
        index.insert(one, for: "a")
        index.insert(two, for: "a")
        index.remove(one, for: "a")
        #expect(index.candidate(for: "a") == two)
    }
}
