import TestSupport
import Testing

@testable import SegmentedDL

@Suite("Composite checksums")
struct CompositeDigestTests {
    private static let mebibyte: Int64 = 1 << 20
    private static let length = 12 * mebibyte

    /// Zeros, except for the bytes at the ends of parts of 5 and of 8 MiB.
    private static let content: [UInt8] = {
        var bytes = [UInt8](repeating: 0, count: Int(length))
        let places = [0, 5 * mebibyte - 1, 5 * mebibyte, 8 * mebibyte - 1, 8 * mebibyte, length - 1]
        for (index, place) in places.enumerated() { bytes[Int(place)] = UInt8(index + 1) }
        return bytes
    }()

    /// The composite checksums of `content`, by the length of a part in MiB, computed with Python's hashlib and
    /// zlib, and with a table for CRC-32C.
    static let ofContent: [(algorithm: Checksum.Algorithm, mebibytes: Int64, hexadecimal: String)] = [
        (.sha256, 8, "d00a00dfaa3a80c7bd74deb742ed99f668ab9704d85297fffa2b2332bb1e3378"),
        (.sha256, 5, "6a52f4cb417fee4ff4a4a15138a930fa7fde46ba40b55e0c61c07e13cbeb3b36"),
        (.sha256, 12, "479ba1d5017325d2d9f55284ca20f45c65fca97238c2d364b2aa30a1ea3ef310"),
        (.sha1, 8, "90b244262939e08f96986d861df52da6febe3c3b"),
        (.crc32, 8, "fc7db695"), (.crc32, 12, "9c2bd66d"),
        (.crc32c, 8, "83e4320b"), (.crc32c, 5, "253ab09e"), (.crc32c, 7, "c9bbf765"),
    ]

    private func composite(
        _ algorithm: Checksum.Algorithm, _ hexadecimal: String, parts: Int?, length: Int64 = length
    ) throws -> CompositeDigest {
        CompositeDigest(
            field: "x-amz-checksum", checksum: try Checksum(algorithm, hexadecimal), parts: parts,
            length: length)
    }

    private func proof(
        _ composite: CompositeDigest, of bytes: [UInt8] = content, inPieces piece: Int = 1_000_000
    ) -> DigestProof? {
        let digest = PartsDigest(composite)
        bytes.withUnsafeBytes { bytes in
            for start in stride(from: 0, to: bytes.count, by: piece) {
                digest.update(
                    UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + piece, bytes.count)]))
            }
        }
        return digest.finish()
    }

    // MARK: Computing

    @Test("prove a file, in parts of the usual lengths and of others", arguments: ofContent)
    func proves(algorithm: Checksum.Algorithm, mebibytes: Int64, hexadecimal: String) throws {
        let parts = Int((12 + mebibytes - 1) / mebibytes)
        let stated = try composite(algorithm, hexadecimal, parts: parts)
        let found = try #require(proof(stated))
        #expect(found.checksum == stated.checksum)
        #expect(found.field == "x-amz-checksum" && found.parts == parts && !found.isRequested)
        // An unusual length is not tried without the number of parts.
        let unstated = try composite(algorithm, hexadecimal, parts: nil)
        #expect(proof(unstated)?.parts == (mebibytes == 7 ? nil : parts))
    }

    @Test("of one part cover a file of any length", arguments: [1, 2, 5, 7])
    func onePart(piece: Int) throws {
        let hello = Array("hello".utf8)
        for (algorithm, hexadecimal) in [
            (.crc32, "14a4e66b"), (.crc32c, "5704b6ac"), (.sha1, "6b4f89a54e2d27ecd7e8da05b4ab8fd9d1d8b119"),
            (.sha256, "9595c9df90075148eb06860365df33584b75bff782a510c6cd4883a419833d50"),
        ] as [(Checksum.Algorithm, String)] {
            let stated = try composite(algorithm, hexadecimal, parts: 1, length: 5)
            #expect(proof(stated, of: hello, inPieces: piece)?.parts == 1)
            #expect(proof(stated, of: Array("hellO".utf8), inPieces: piece) == nil)
        }
    }

    @Test("prove nothing with other bytes, other parts, or none")
    func provesNothing() throws {
        let stated = try composite(.crc32c, "83e4320b", parts: 2)
        var wrong = Self.content
        wrong[7_000_000] = 1
        #expect(proof(stated, of: wrong) == nil)
        #expect(proof(stated, of: Array(Self.content.dropLast())) == nil)
        #expect(proof(stated, of: []) == nil)
        #expect(proof(try composite(.crc32c, "83e4320b", parts: 3)) == nil)
        // The digest of nothing.
        #expect(proof(try composite(.crc32c, "00000000", parts: 2), of: []) == nil)
        // The length of the parts is not among the first three.
        let unusual = "496414860e1e28583ae4f0c2da9c6cee0a8cff1e65d39f13a85222ec241c5ff6"
        #expect(proof(try composite(.sha256, unusual, parts: 2)) == nil)
    }

    @Test("are computed from a file in memory only if there is one")
    func inMemory() throws {
        var expectations = Expectations()
        #expect(expectations.proofs([], of: Self.content) == [])
        let stated = try composite(.crc32c, "253ab09e", parts: 3)
        expectations.add(stated)
        #expect(expectations.proofs([], of: Self.content).map(\.parts) == [3])
        #expect(!expectations.areAny && expectations.algorithms == [] && expectations.mismatch([]) == nil)
    }

    @Test("are not computed if a digest of the file is expected")
    func beside() throws {
        let stated = try composite(.crc32c, "253ab09e", parts: 3)
        var expectations = Expectations(checksums: [try Checksum(.crc32, "253ab09e")])
        expectations.add(stated)
        #expect(expectations.composite == nil)
        expectations = Expectations(wantsSHA256: true)
        expectations.add(stated)
        #expect(expectations.composite == stated)
    }

    @Test("are computed behind the writes, also after a restart", arguments: [false, true])
    func onDisk(startsOver: Bool) async throws {
        let directory = try ScratchDirectory()
        let part = try PartFile(DownloadPaths(directory.file("x")))
        let stated = try composite(.crc32c, "83e4320b", parts: 2)
        let frontier = try DigestFrontier(part, [.md5], composite: stated)
        if startsOver {
            try [UInt8](repeating: 7, count: 6_000_000).withUnsafeBytes { try part.write($0, at: 0) }
            frontier.reach(6_000_000)
            frontier.startOver()
        }
        try Self.content.withUnsafeBytes { try part.write($0, at: 0) }
        frontier.reach(9_000_001)
        #expect(try await frontier.finish(at: Self.length).count == 1)
        #expect(frontier.compositeProof()?.parts == 2)
    }

    @Test("are computed without another digest")
    func alone() async throws {
        let directory = try ScratchDirectory()
        let part = try PartFile(DownloadPaths(directory.file("x")))
        let frontier = try DigestFrontier(
            part, [], composite: try composite(.crc32c, "83e4320b", parts: 2))
        #expect(frontier.isHashing && frontier.hashesInOrder)
        try Self.content.withUnsafeBytes { try part.write($0, at: 0) }
        #expect(try await frontier.finish(at: Self.length) == [])
        #expect(frontier.compositeProof()?.parts == 2)
        let plain = try DigestFrontier(part, [])
        #expect(!plain.isHashing && plain.compositeProof() == nil)
    }

    // MARK: The lengths of parts

    @Test(
        "are tried with few lengths of a part, the usual ones first",
        arguments: [
            (12, 1, [12], [12]), (12, 2, [8, 10, 6], [8, 10, 6, 7, 9, 11]), (12, 3, [5], [5]),
            (12, 4, [], []), (12, nil, [8, 5, 12], [8, 5, 12, 10]),
            (100, 2, [64, 50, 51], [64, 50, 51, 52, 53, 54]), (1000, 84, [12], [12]),
            (100_000, 10_000, [10], [10]), (100_000, nil, [16, 64, 10], [16, 64, 10, 50, 32, 100]),
            (5 << 20, 2, [], []), (5 << 20, 10_000, [], []), (5 << 20, nil, [1024], [1024]),
        ] as [(Int64, Int?, [Int64], [Int64])])
    func lengths(mebibytes: Int64, parts: Int?, ofHash: [Int64], ofCRC: [Int64]) throws {
        let length = mebibytes * Self.mebibyte
        let hash = try composite(
            .sha256, String(repeating: "0", count: 64), parts: parts, length: length)
        let cyclic = try composite(.crc32, "00000000", parts: parts, length: length)
        #expect(hash.partLengths == ofHash.map { $0 * Self.mebibyte })
        #expect(cyclic.partLengths == ofCRC.map { $0 * Self.mebibyte })
    }

    @Test(
        "with an impossible number of parts are not tried",
        arguments: [-2, 0, 6, 10_001, 1_000_000_000, .max, .min] as [Int])
    func impossible(parts: Int) throws {
        for length in [1, 5, Self.mebibyte * 20, .max] as [Int64] {
            #expect(try composite(.crc32, "00000000", parts: parts, length: length).partLengths == [])
        }
    }

    // MARK: The field

    private func read(
        _ fields: [(String, String)], status: Int = 206, length: Int64? = length
    ) -> String? {
        let head = ResponseHead(status: status, fields: fields.map { HTTPHeader($0.0, $0.1) })
        return CompositeDigest(head, length: length).map {
            "\($0.field) \($0.checksum) \($0.parts.map(String.init) ?? "-")"
        }
    }

    private static let cyclic = "x-amz-checksum-crc32c"
    private static let typed = ("x-amz-checksum-type", "COMPOSITE")

    @Test("are read with their number of parts, or without it if the type or a range permits it")
    func fields() {
        let found = "x-amz-checksum-crc32c crc32c=e3069283"
        let (suffixed, plain) = ((Self.cyclic, "4waSgw==-2"), (Self.cyclic, "4waSgw=="))
        #expect(read([suffixed]) == "\(found) 2")
        #expect(read([suffixed, Self.typed], status: 200) == "\(found) 2")
        #expect(read([plain, Self.typed]) == "\(found) -")
        #expect(read([plain, ("X-Amz-Checksum-Type", "composite")], status: 200) == "\(found) -")
        #expect(read([plain]) == "\(found) -")
        // In a complete response this is the file's own digest, and the other is that of a part.
        #expect(read([plain], status: 200) == nil)
        #expect(read([plain, ("x-amz-mp-parts-count", "2")]) == nil)
        for type in ["FULL_OBJECT", "SOMETHING_NEW"] {
            #expect(read([suffixed, ("x-amz-checksum-type", type)]) == nil)
            #expect(read([plain, ("x-amz-checksum-type", type)]) == nil)
        }
        let strong = ("x-amz-checksum-sha1", "Kq5sNclPz7QV2+lfQIuc6R7oRu0=-3")
        #expect(
            read([suffixed, strong])
                == "x-amz-checksum-sha1 sha1=2aae6c35c94fcfb415dbe95f408b9ce91ee846ed 3")
        // One with an impossible number of parts does not hide another.
        #expect(read([suffixed, (strong.0, "Kq5sNclPz7QV2+lfQIuc6R7oRu0=-9")]) == "\(found) 2")
    }

    @Test(
        "that are invalid are ignored",
        arguments: [
            "", "-", "-2", "4waSgw==-", "4waSgw==-x", "4waSgw==-0", "4waSgw==--2", "4waSgw==-2-2",
            "4waSgw==-1000000000", "4waSgw==-99999999999999999999", "4waS-2", "????-2",
        ])
    func garbage(value: String) {
        #expect(read([(Self.cyclic, value), Self.typed]) == nil)
    }

    @Test("do not count without a length, for changed content, or for CRC-64/NVME")
    func otherContent() {
        let field = (Self.cyclic, "4waSgw==-2")
        #expect(read([field], length: nil) == nil)
        #expect(read([field], length: 0) == nil)
        #expect(read([field], length: 1) == nil)
        #expect(read([field, ("Warning", "214 x")]) == nil)
        #expect(read([("x-amz-checksum-crc64nvme", "rosUhgp5mIg=-2"), Self.typed]) == nil)
    }
}
