import Benchmark

@testable import SegmentedDL

private let piece = [UInt8](repeating: 0x5a, count: 256 * 1024)

func checksumBenchmarks() {
    // One operation: 64 MiB are hashed, 256 KiB at a time.
    for algorithm in [Checksum.Algorithm.md5, .sha1, .sha256, .sha512] {
        measure("checksum-64MiB-\(algorithm.rawValue)") {
            let digest = try Digest(algorithm)
            for _ in 0..<256 { piece.withUnsafeBytes { digest.update($0) } }
            return digest.finishChecksum()
        }
    }

    // 1,000 operations: a line of a list.
    let list = (0..<1000).map { "\(Digest.sha256("\($0)".utf8))  pool/main/package-\($0).deb\n" }.joined()
    measure("checksum-list-1000") { ChecksumList(list).entries.count }
}
