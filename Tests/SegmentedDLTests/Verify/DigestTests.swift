import Testing

@testable import SegmentedDL

@Suite("Digests")
struct DigestTests {
    private static let ofNothing: [Checksum.Algorithm: String] = [
        .md5: "d41d8cd98f00b204e9800998ecf8427e",
        .sha1: "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        .sha224: "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f",
        .sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        .sha384: "38b060a751ac96384cd9327eb1b1e36a21fdb71114be0743"
            + "4c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b",
        .sha512: "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
            + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e",
        .crc32: "00000000", .crc32c: "00000000", .crc64nvme: "0000000000000000",
        // `git hash-object`
        .gitsha1: "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    ]

    private static let ofABC: [Checksum.Algorithm: String] = [
        .md5: "900150983cd24fb0d6963f7d28e17f72",
        .sha1: "a9993e364706816aba3e25717850c26c9cd0d89d",
        .sha224: "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
        .sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        .sha384: "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded163"
            + "1a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
        .sha512: "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
            + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        .crc32: "352441c2", .crc32c: "364b3fb7", .crc64nvme: "05e5cabb3fc1faeb",
        .gitsha1: "f2ba8f84ab5c1bce84a7b441cb1959cfc7093b7f",
    ]

    private static let ofAMillionA: [Checksum.Algorithm: String] = [
        .md5: "7707d6ae4e027c70eea2a935c2296f21",
        .sha1: "34aa973cd4c4daa4f61eeb2bdbad27316534016f",
        .sha224: "20794655980c91d8bbb4c1ea97618a4bf03f42581948b2ee4ee7ad67",
        .sha256: "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
        .sha384: "9d0e1809716474cb086e834e310a4a1ced149e9c00f24852"
            + "7972cec5704c2a5b07b8b3dc38ecc4ebae97ddd87f3d8985",
        .sha512: "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
            + "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b",
        .crc32: "dc25bfbc", .crc32c: "436fe240", .crc64nvme: "38b0ef50419e0b4c",
        .gitsha1: "de1fbf0c2f34f67f01f355f31ed0cf7319643c5e",
    ]

    private func digest(_ pieces: [[UInt8]], _ algorithm: Checksum.Algorithm) -> String? {
        let length = Int64(pieces.joined().count)
        guard let digest = try? Digest(algorithm, length: length) else { return nil }
        for piece in pieces {
            piece.withUnsafeBytes { digest.update($0) }
        }
        return Hexadecimal.text(digest.finish())
    }

    @Test("of nothing", arguments: Checksum.Algorithm.allCases)
    func nothing(algorithm: Checksum.Algorithm) {
        #expect(digest([], algorithm) == Self.ofNothing[algorithm])
        #expect(digest([[]], algorithm) == Self.ofNothing[algorithm])
    }

    @Test("of 'abc', in one piece or in several", arguments: Checksum.Algorithm.allCases)
    func abc(algorithm: Checksum.Algorithm) {
        #expect(digest([Array("abc".utf8)], algorithm) == Self.ofABC[algorithm])
        #expect(digest([[0x61], [], [0x62], [0x63]], algorithm) == Self.ofABC[algorithm])
    }

    @Test("of a million times 'a', in pieces that fit no block", arguments: Checksum.Algorithm.allCases)
    func million(algorithm: Checksum.Algorithm) {
        let piece = [UInt8](repeating: 0x61, count: 1000)
        #expect(digest(Array(repeating: piece, count: 1000), algorithm) == Self.ofAMillionA[algorithm])
    }

    @Test("have the length that their algorithm states", arguments: Checksum.Algorithm.allCases)
    func length(algorithm: Checksum.Algorithm) {
        #expect(digest([], algorithm)?.utf8.count == algorithm.length * 2)
    }

    @Test("that include a length need it")
    func unknownLength() {
        let error = #expect(throws: DownloadError.self) { try Digest(.gitsha1) }
        #expect(error?.code == .invalidSetting)
        #expect(Digest.text(of: "abc".utf8, .gitsha1) == Self.ofABC[.gitsha1])
    }

    @Test("the short form agrees with the long one")
    func shortForm() {
        #expect(Digest.sha256("abc".utf8) == Self.ofABC[.sha256])
        #expect(Digest.sha256([]) == Self.ofNothing[.sha256])
    }

    @Test("hexadecimal keeps leading zeros")
    func hexadecimal() {
        #expect(Hexadecimal.text([0x00, 0x0f, 0xa0, 0xff]) == "000fa0ff")
        #expect(Hexadecimal.text([]) == "")
    }
}
