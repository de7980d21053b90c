import FoundationEssentials

extension Target {
    /// Header lines of a response.
    static let serverDigest = Target(name: "server-digest") { bytes in
        let head = ResponseHead(status: 200, fields: fields(bytes.split(separator: 0x0a)))
        let (whole, part) = (
            ServerDigest.all(in: head, bodyIsWhole: true), ServerDigest.all(in: head, bodyIsWhole: false)
        )
        promise(part.allSatisfy(whole.contains), "a part has digests of its own")
        for found in [whole, part] { found.forEach(check) }
        for (found, isWhole) in [(whole, true), (part, false)] {
            let strongest = ServerDigest.strongest(in: head, bodyIsWhole: isWhole)
            promise(
                strongest?.checksum.algorithm.length == found.map(\.checksum.algorithm.length).max(),
                "a stronger one than \(strongest.debugDescription) is there")
        }
        for length in [1, 12 << 20, Int64.max] {
            guard let composite = CompositeDigest(head, length: length) else { continue }
            let lengths = composite.partLengths
            promise((1...6).contains(lengths.count), "\(lengths.count) lengths of parts are tried")
            promise(lengths.allSatisfy { (1...length).contains($0) }, "a part of the wrong length is tried")
        }
    }

    private static func check(_ digest: ServerDigest) {
        let checksum = digest.checksum
        promise(checksum.hexadecimal.utf8.count == 2 * checksum.algorithm.length, "\(checksum)")
        promise((try? Checksum(parsing: checksum.description)) == checksum, "\(checksum)")
        let bytes = stride(from: 0, to: checksum.hexadecimal.utf8.count, by: 2).compactMap { start in
            UInt8(checksum.hexadecimal.dropFirst(start).prefix(2), radix: 16)
        }
        let value = "\(checksum.algorithm)=:\(Data(bytes).base64EncodedString()):"
        let again = ResponseHead(status: 200, fields: [HTTPHeader("Repr-Digest", value)])
        promise(
            ServerDigest.all(in: again, bodyIsWhole: false).map(\.checksum) == [checksum],
            "'\(value)' is read back differently")
    }
}
