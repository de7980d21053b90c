import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror

@Suite("A file of another program")
struct AdoptionDecisionTests {
    private static let second: Int64 = 1_000_000_000
    /// Sun, 06 Nov 1994 08:49:37 GMT
    private static let date: Int64 = 784_111_777
    private static let text = "Sun, 06 Nov 1994 08:49:37 GMT"

    @Test(
        "is the source's if its size matches, and its date within two seconds",
        arguments: [
            (7, text, 0, true), (7, text, 999_999_999, true), (7, text, 2 * second, true),
            (7, text, 2 * second + 500, true), (7, text, -2 * second, true), (7, text, 3 * second, false),
            (7, text, -3 * second, false), (7, text, 3600 * second, false), (8, text, 0, false),
            (nil, text, 0, false), (7, nil, 0, false), (7, "yesterday", 0, false),
        ] as [(Int64?, String?, Int64, Bool)])
    func table(size: Int64?, date: String?, late: Int64, expected: Bool) {
        let found = FileIdentity(inode: 1, size: 7, modified: Self.date * Self.second + late)
        #expect(Adoption.isSame(found, size: size, lastModified: date) == expected)
    }
}
