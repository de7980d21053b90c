import SegmentedDLOptions
import Testing

@testable import segdl

@Suite("Sizes and rates of options")
struct ByteSizeTests {
    @Test(
        "are numbers with a unit",
        arguments: [
            ("0", 0), ("1", 1), ("500k", 512_000), ("1.5MiB", 1_572_864), ("2GB", 2_147_483_648), ("1b", 1),
        ] as [(String, Int64)])
    func parsed(text: String, bytes: Int64) throws {
        #expect(try ByteSize.rate(text).bytes == bytes)
        #expect(try ByteSize.size(text).bytes == bytes)
    }

    @Test(
        "are nothing else",
        arguments: ["", "0.1", "-1", "3Mbps", "10k/s", "3 MiB", "fast", "1e3", "9999999T"])
    func wrong(text: String) {
        #expect(throws: (any Error).self) { try ByteSize.rate(text) }
        #expect(throws: (any Error).self) { try ByteSize.size(text) }
    }

    @Test("are unlimited when 0")
    func limit() {
        #expect(ByteSize(bytes: 0).limit == nil && ByteSize(bytes: 5).limit == 5)
    }
}
