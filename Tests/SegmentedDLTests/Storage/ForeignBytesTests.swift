import Testing

@testable import SegmentedDL

@Suite("Another program's bytes")
struct ForeignBytesTests {
    private static let block = Int64(ForeignBytes.block)

    @Test("do not count where zeros are, or next to them")
    func neighbours() {
        let size = Self.block * 6 + 5
        let received = ForeignBytes.ranges([false, false, true, false, false, false, false], size: size)
        #expect(Array(received.ranges) == [0..<Self.block, (Self.block * 4)..<size])
        #expect(ForeignBytes.ranges([true], size: 5).isEmpty)
        #expect(ForeignBytes.ranges([], size: 0).isEmpty)
    }

    @Test("have a page of zeros only if all of it is zero", arguments: [0, 4096, 5000, 8191, 10_000, 12_287])
    func pages(nonzero: Int) {
        var bytes = [UInt8](repeating: 1, count: 4096 * 3 + 1)
        bytes.replaceSubrange(4096..<8192, with: repeatElement(0, count: 4096))
        #expect(bytes.withUnsafeBytes(ForeignBytes.hasZeroPage))
        bytes[nonzero] = 1
        #expect(bytes.withUnsafeBytes(ForeignBytes.hasZeroPage) == !(4096..<8192).contains(nonzero))
    }
}
