import TestSupport
import Testing

@testable import SegmentedDL

@Suite("Hashing a stream that restarts")
struct DigestStartOverTests {
    private static let piece = 64 * 1024
    private static let content = (0..<4 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

    @Test("waits for the new bytes, although the old ones reached further", arguments: 0..<4)
    func oldFrontier(round: Int) async throws {
        let directory = try ScratchDirectory()
        let part = try PartFile(DownloadPaths(directory.file("x")))
        // Long enough for the thread to be busy when the stream restarts.
        let old: Int64 = 48 << 20
        try part.preallocate(old)
        let frontier = try DigestFrontier(part, [.md5, .sha1, .sha256, .sha512])
        frontier.reach(old)
        frontier.startOver()
        // The last piece is written first: a thread that continued would hash the old bytes of the first one.
        for start in stride(from: Self.content.count - Self.piece, through: 0, by: -Self.piece) {
            try Self.content[start..<start + Self.piece].withUnsafeBytes {
                try part.write($0, at: Int64(start))
            }
        }
        let length = Int64(Self.content.count)
        frontier.reach(length)
        let digests = try await frontier.finish(at: length)
        #expect(digests.map(\.hexadecimal).contains(Digest.sha256(Self.content)))
    }
}
