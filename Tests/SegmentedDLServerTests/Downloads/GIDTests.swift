import Testing

@testable import SegmentedDLQueue
@testable import SegmentedDLServer

@Suite struct GIDTests {
    @Test("a number round-trips through its gid", arguments: [1, 2, 3, 1_000, 123_456_789, Int64.max])
    func bijection(number: Int64) {
        let id = Receipt.ID(rawValue: number)
        #expect(GID(number: id).number == id)
    }

    @Test("many numbers have distinct gids with different prefixes")
    func scattering() {
        let gids = (1...10_000).map { GID(number: Receipt.ID(rawValue: $0)).description }
        #expect(Set(gids).count == 10_000)
        #expect(Set(gids.map { $0.prefix(6) }).count > 9_900)
        #expect(gids.allSatisfy { $0.utf8.count == 16 })
    }

    @Test(
        "only 16 hexadecimal digits are a gid",
        arguments: [
            "", "1", "0123456789abcde", "0123456789abcdefg", "0000000000000000", "+123456789abcdef",
            "0123456789abcdeg",
        ])
    func malformed(text: String) {
        #expect(GID(text) == nil)
    }

    @Test("capitals are read, and lower case written")
    func capitals() {
        #expect(GID("00ABCDEF01234567")?.description == "00abcdef01234567")
    }
}
