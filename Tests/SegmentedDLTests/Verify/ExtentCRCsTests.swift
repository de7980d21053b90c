import SegmentedDLSupport
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("CRCs of a file written in any order")
struct ExtentCRCsTests {
    private static let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    private static let cyclic: [Checksum.Algorithm] = [.crc32, .crc32c, .crc64nvme]

    private let directory: ScratchDirectory
    private let part: PartFile

    init() throws {
        directory = try ScratchDirectory()
        part = try PartFile(DownloadPaths(directory.file("x")))
    }

    private func write(_ range: Range<Int>, to frontier: DigestFrontier, of file: [UInt8] = content) throws {
        try file[range].withUnsafeBytes {
            try part.write($0, at: Int64(range.lowerBound))
            frontier.wrote($0, at: Int64(range.lowerBound))
        }
    }

    /// Replaces all bytes on disk, so that only bytes that are not read back are right.
    private func overwriteFile() throws {
        try [UInt8](repeating: 7, count: Self.content.count).withUnsafeBytes { try part.write($0, at: 0) }
    }

    private func expect(_ digests: [Checksum], of length: Int = content.count) {
        for digest in digests {
            #expect(digest.hexadecimal == Digest.text(of: Self.content.prefix(length), digest.algorithm))
        }
    }

    @Test("are combined without reading the file", arguments: 0..<8)
    func combined(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let frontier = try DigestFrontier(part, Self.cyclic)
        #expect(frontier.isHashing && !frontier.hashesInOrder)
        let cuts = (0..<20).map { _ in Int.random(in: 0...Self.content.count, using: &random) }
        let ends = [0] + cuts.sorted() + [Self.content.count]
        for (start, end) in zip(ends, ends.dropFirst()).shuffled(using: &random) {
            try write(start..<end, to: frontier)
        }
        try overwriteFile()
        let digests = try await frontier.finish(at: Int64(Self.content.count))
        #expect(digests.map(\.algorithm) == Self.cyclic)
        expect(digests)
    }

    @Test(
        "include the bytes of an earlier run, read at the beginning or at the end", arguments: [true, false])
    func resumed(early: Bool) async throws {
        try Self.content.withUnsafeBytes { try part.write($0, at: 0) }
        let frontier = try DigestFrontier(part, Self.cyclic)
        if early { frontier.readBack(ByteRangeSet([0..<100_000, 150_000..<200_000])) }
        try write(200_000..<300_000, to: frontier)
        try write(100_000..<150_000, to: frontier)
        expect(try await frontier.finish(at: Int64(Self.content.count)))
    }

    @Test("include bytes that were on disk before the algorithm was known")
    func added() async throws {
        let frontier = try DigestFrontier(part, [])
        try write(0..<200_000, to: frontier)
        frontier.add(.crc32c)
        frontier.add(.crc32c)
        try write(200_000..<300_000, to: frontier)
        let digests = try await frontier.finish(at: Int64(Self.content.count))
        #expect(digests.map(\.algorithm) == [.crc32c])
        expect(digests)
    }

    @Test("exclude withdrawn bytes, and include those that replace them")
    func withdrawn() async throws {
        let frontier = try DigestFrontier(part, Self.cyclic)
        let wrong = [UInt8](repeating: 1, count: Self.content.count)
        try write(0..<100_000, to: frontier)
        try write(100_000..<300_000, to: frontier, of: wrong)
        frontier.exclude(100_000..<300_000)
        try write(100_000..<300_000, to: frontier)
        expect(try await frontier.finish(at: Int64(Self.content.count)))
    }

    @Test("exclude bytes that were read before others replaced them")
    func replacedAfterReading() async throws {
        let frontier = try DigestFrontier(part, Self.cyclic)
        let wrong = [UInt8](repeating: 1, count: Self.content.count)
        try wrong.withUnsafeBytes { try part.write($0, at: 0) }
        frontier.readBack(ByteRangeSet(0..<300_000))
        frontier.exclude(0..<300_000)
        try write(0..<300_000, to: frontier)
        expect(try await frontier.finish(at: Int64(Self.content.count)))
    }

    @Test("of a restarted stream that is shorter cover the new bytes alone", arguments: [0, 1, 120_000])
    func startsOver(length: Int) async throws {
        let frontier = try DigestFrontier(part, Self.cyclic)
        try write(0..<300_000, to: frontier, of: [UInt8](repeating: 1, count: Self.content.count))
        frontier.exclude(0..<Int64.max)
        frontier.startOver()
        try write(0..<length, to: frontier)
        expect(try await frontier.finish(at: Int64(length)), of: length)
    }

    @Test("beside a digest that is hashed in order")
    func both() async throws {
        let frontier = try DigestFrontier(part, [.sha256, .crc64nvme])
        #expect(frontier.hashesInOrder)
        try write(0..<300_000, to: frontier)
        frontier.reach(300_000)
        let digests = try await frontier.finish(at: 300_000)
        #expect(Set(digests.map(\.algorithm)) == [.sha256, .crc64nvme])
        expect(digests)
    }

    @Test("include the bytes of an earlier run when another digest reads them, which are read once")
    func resumedBoth() async throws {
        let frontier = try DigestFrontier(part, [.sha256, .crc64nvme])
        try Self.content.prefix(100_000).withUnsafeBytes { try part.write($0, at: 0) }
        frontier.readBack(ByteRangeSet([0..<100_000, 150_000..<200_000]))
        // It also waits for the frontier's queue.
        _ = frontier.compositeProof()
        // Only bytes that are read from now on are right.
        try Self.content[150_000..<200_000].withUnsafeBytes { try part.write($0, at: 150_000) }
        try write(100_000..<150_000, to: frontier)
        try write(200_000..<300_000, to: frontier)
        frontier.reach(300_000)
        _ = frontier.compositeProof()
        try overwriteFile()
        let digests = try await frontier.finish(at: 300_000)
        #expect(Set(digests.map(\.algorithm)) == [.sha256, .crc64nvme])
        expect(digests)
    }

    @Test("beside another digest exclude the bytes of an earlier run that others replaced")
    func replacedBoth() async throws {
        let frontier = try DigestFrontier(part, [.sha256, .crc64nvme])
        try overwriteFile()
        frontier.readBack(ByteRangeSet(0..<300_000))
        frontier.reach(200_000)
        frontier.exclude(100_000..<300_000)
        frontier.startOver()
        try Self.content.prefix(100_000).withUnsafeBytes { try part.write($0, at: 0) }
        frontier.exclude(0..<100_000)
        frontier.startOver()
        try write(100_000..<300_000, to: frontier)
        frontier.reach(300_000)
        expect(try await frontier.finish(at: 300_000))
    }

    @Test("report a truncated file whose bytes must be read")
    func cut() async throws {
        try Self.content.prefix(1000).withUnsafeBytes { try part.write($0, at: 0) }
        let frontier = try DigestFrontier(part, [.crc32c])
        let error = await #expect(throws: DownloadError.self) { try await frontier.finish(at: 2000) }
        #expect(error?.code == .badPath)
    }

    @Test("of overlapping writes are not kept")
    func overlap() throws {
        let empty = try #require(CyclicCheck(.crc32c))
        let extent = { (range: Range<Int>) in
            var extent = CRCExtent(at: Int64(range.lowerBound), empty)
            Self.content[range].withUnsafeBytes { extent.append($0) }
            return extent
        }
        let gaps = { (extents: ExtentCRCs) in
            var gaps: [Range<Int64>] = []
            _ = extents.combined(length: 60, empty) { range, whole in
                gaps.append(range)
                whole.append(extent(Int(range.lowerBound)..<Int(range.upperBound)))
            }
            return gaps
        }
        var extents = ExtentCRCs()
        extents.insert(extent(0..<10))
        extents.insert(extent(20..<30))
        extents.insert(extent(40..<50))
        #expect(gaps(extents) == [10..<20, 30..<40, 50..<60])
        extents.insert(extent(10..<20))
        #expect(extents.list.map(\.end) == [30, 50])
        extents.insert(extent(25..<45))
        #expect(gaps(extents) == [0..<60])
        // For good, because these bytes may be in the file already while an older writer is late.
        extents.insert(extent(20..<30))
        #expect(gaps(extents) == [0..<60])
        extents.insert(extent(45..<60))
        #expect(gaps(extents) == [0..<45])
        #expect(extents.remove(endingAt: 60)?.start == 45)
        #expect(extents.remove(endingAt: 60) == nil)
    }
}
