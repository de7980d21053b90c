#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A digest of the whole file that the server sent with a response.
struct ServerDigest: Codable, Equatable, Sendable {
    /// The header field that contained it.
    var field: String
    var checksum: Checksum
    /// The range of the file in that response's body; `nil` if the body was the whole file. Some servers
    /// compute the digest of each response's body.
    var part: ByteRange?

    /// Returns the strongest digest of the whole file in a response's head; `nil` for none. The weaker ones
    /// are not checked: bytes that match the strongest one are correct, and a wrong value next to it means
    /// nothing.
    ///
    /// - Parameter bodyIsWhole: True if the body is the whole file: only then do digests of the message's
    ///   content apply to the file.
    static func strongest(in head: ResponseHead, bodyIsWhole: Bool) -> ServerDigest? {
        all(in: head, bodyIsWhole: bodyIsWhole).max { $0.strength < $1.strength }
    }

    /// Returns true if a digest in a response's head is that of an empty file.
    static func isOfNothing(_ head: ResponseHead) -> Bool {
        all(in: head, bodyIsWhole: true).contains(where: \.checksum.isOfNothing)
    }

    /// The evidence in the digests of two responses that they are of different files.
    enum Difference {
        /// Nothing shows it: they are equal, one does not exist, or the algorithms differ.
        case none
        /// They differ, but one of them may describe a part of the file.
        case possible
        case certain
    }

    /// Compares the digests in two responses.
    static func difference(between first: ServerDigest?, and second: ServerDigest?) -> Difference {
        guard let first, let second, first.checksum.algorithm == second.checksum.algorithm,
            first.checksum != second.checksum
        else { return .none }
        return first.part == nil && second.part == nil ? .certain : .possible
    }

    private var strength: Int { checksum.algorithm.length }

    /// Returns all digests of the whole file, in order of how strictly their fields are defined.
    static func all(in head: ResponseHead, bodyIsWhole: Bool) -> [ServerDigest] {
        if isTransformed(head) { return [] }
        var found = dictionary("Repr-Digest", head)
        if bodyIsWhole { found += dictionary("Content-Digest", head) }
        found += list("Digest", head)
        for algorithm in [Checksum.Algorithm.sha256, .sha1, .crc64nvme, .crc32c, .crc32]
        where isOfWholeObject(algorithm, head, bodyIsWhole) {
            found += whole("x-amz-checksum-\(algorithm.rawValue)", algorithm, head)
        }
        // If an object is stored compressed and sent decompressed, its bytes differ from those that were
        // hashed.
        if ["", "identity"].contains(head["x-goog-stored-content-encoding"]?.lowercased() ?? "") {
            found += list("x-goog-hash", head)
        }
        if bodyIsWhole { found += whole("Content-MD5", .md5, head) }
        return found
    }

    /// Returns true if the `x-amz-checksum-*` fields of a response refer to the whole object. Composite
    /// values are digests of the parts' digests. In response to a range, a store may send a part's value, or
    /// a composite value without its type and number of parts. CRC-64/NVME has no composite values.
    private static func isOfWholeObject(
        _ algorithm: Checksum.Algorithm, _ head: ResponseHead, _ bodyIsWhole: Bool
    ) -> Bool {
        guard let type = head["x-amz-checksum-type"] else {
            let isOfPart = head["x-amz-mp-parts-count"] != nil
            return !isOfPart && (algorithm == .crc64nvme || bodyIsWhole && head.status == 200)
        }
        return type.uppercased() == "FULL_OBJECT"
    }

    /// Returns the digest that a model hub sends as an entity tag: in the redirect to a large file in its
    /// store, `X-Linked-Etag` is the file's SHA-256, under which the hub stores it; for a small file, that
    /// field, or `ETag` if the hub sends the file itself, is the content's Git ID.
    static func ofHub(redirects: some Sequence<ResponseHead>, last: ResponseHead) -> ServerDigest? {
        for head in redirects {
            if let digest = ofHub(redirect: head) { return digest }
        }
        guard last["x-repo-commit"] != nil, !isTransformed(last), let tag = last["etag"],
            tag.hasPrefix("\""), tag.hasSuffix("\""),
            let checksum = try? Checksum(.gitsha1, String(tag.dropFirst().dropLast()))
        else { return nil }
        return ServerDigest(field: "ETag", checksum: checksum)
    }

    /// Returns the digest in a redirect to a file in a hub's store; `nil` if it is another redirect.
    static func ofHub(redirect head: ResponseHead) -> ServerDigest? {
        guard head["x-repo-commit"] != nil, head["x-linked-size"] != nil else { return nil }
        let tag = head["x-linked-etag"]?.split(separator: "\"").last ?? ""
        let checksum = (try? Checksum(.sha256, String(tag))) ?? (try? Checksum(.gitsha1, String(tag)))
        return checksum.map { ServerDigest(field: "X-Linked-Etag", checksum: $0) }
    }

    /// Returns true if an intermediary has changed the content, and may have kept header fields of the
    /// original: 203 (RFC 9110, section 15.3.4), the warning 214 (RFC 7234, section 5.5.6), or Google's front
    /// end.
    static func isTransformed(_ head: ResponseHead) -> Bool {
        head.status == 203 || head["x-guploader-response-body-transformations"] != nil
            || head.values("warning").contains { $0.hasPrefix("214") }
    }

    /// Reads `sha-256=:BASE64:, sha-512=:BASE64:`, a dictionary of structured fields (RFC 9530, RFC 8941).
    private static func dictionary(_ field: String, _ head: ResponseHead) -> [ServerDigest] {
        // The last of several members with the same name applies (RFC 8941, section 3.2).
        let named = Dictionary(members(field, head).map { ($0.0, $0) }) { _, last in last }
        return named.values.sorted { $0.0 < $1.0 }.compactMap { name, value in
            guard value.first == ":", let end = value.dropFirst().firstIndex(of: ":") else { return nil }
            return make(field, name, value[value.index(after: value.startIndex)..<end])
        }
    }

    /// Reads `SHA-256=BASE64,MD5=BASE64` (RFC 3230; Google Cloud Storage's x-goog-hash has the same format).
    private static func list(_ field: String, _ head: ResponseHead) -> [ServerDigest] {
        members(field, head).compactMap { name, value in make(field, name, value) }
    }

    private static func whole(
        _ field: String, _ algorithm: Checksum.Algorithm, _ head: ResponseHead
    ) -> [ServerDigest] {
        head.values(field.lowercased()).compactMap { make(field, algorithm.rawValue, $0[...]) }
    }

    private static func members(_ field: String, _ head: ResponseHead) -> [(Substring, Substring)] {
        head.values(field.lowercased()).flatMap { $0.split(separator: ",") }.compactMap { member in
            let parts = member.split(separator: "=", maxSplits: 1)
            return parts.count == 2 ? (parts[0].trimmingBlanks(), parts[1].trimmingBlanks()) : nil
        }
    }

    /// - Returns: `nil` for an unknown algorithm, or text that is not a digest of the right length.
    private static func make(_ field: String, _ name: some StringProtocol, _ base64: Substring)
        -> ServerDigest?
    {
        guard let algorithm = algorithm(name), let bytes = Data(base64Encoded: String(base64)),
            let checksum = try? Checksum(algorithm, Hexadecimal.text(bytes))
        else { return nil }
        return ServerDigest(field: field, checksum: checksum)
    }

    /// Reads the names of both registries; `SHA` is SHA-1 in either.
    private static func algorithm(_ name: some StringProtocol) -> Checksum.Algorithm? {
        let plain = name.lowercased().filter { $0 != "-" }
        return plain == "sha" ? .sha1 : Checksum.Algorithm(rawValue: plain)
    }
}

extension Checksum {
    /// True for the digest of zero bytes.
    var isOfNothing: Bool { (try? Digest(algorithm, length: 0))?.finishChecksum() == self }
}
