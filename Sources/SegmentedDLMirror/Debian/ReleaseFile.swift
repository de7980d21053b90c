internal import SegmentedDL

/// The file `InRelease` or `Release` of a suite: its indexes with their digests.
struct ReleaseFile: Sendable, Equatable {
    /// A file that the suite lists.
    struct Index: Sendable, Hashable {
        /// The path below the suite.
        var path: String
        var size: Int64
        var digest: Checksum
    }

    /// True if each index is also available under its digest, where earlier versions remain for a while.
    private(set) var hasByHash = false
    /// True if the packages for all architectures are also in the index of each one.
    private(set) var repeatsAll = false
    private(set) var components: [String] = []
    private(set) var indexes: [Index] = []

    /// Reads the file, with or without an inline signature.
    ///
    /// - Parameter name: The name of the file in messages.
    /// - Throws: `DownloadError` with code `badResponse` if it is not a release file, or lists neither
    ///   SHA-256 nor SHA-512.
    init(_ bytes: [UInt8], name: String) throws(DownloadError) {
        var parser = ControlFields(
            [
                "acquire-by-hash", "no-support-for-architecture-all", "components", "sha256", "sha512",
            ], name: name)
        let text = try Self.signedText(of: bytes, name: name)
        let fields = try (parser.feed(text) + parser.finish()).flatMap { $0 }
        // Clients request an index by its strongest digest.
        let sums = fields["sha512"].map { ($0, Checksum.Algorithm.sha512) }
        guard let (sums, algorithm) = sums ?? fields["sha256"].map({ ($0, .sha256) }) else {
            throw DownloadError(
                .badResponse,
                "'\(name)' lists no indexes with SHA-256 or SHA-512, so it is not a suite that can be mirrored.",
                url: name)
        }
        hasByHash = fields["acquire-by-hash"]?.value.lowercased() == "yes"
        repeatsAll = fields["no-support-for-architecture-all"]?.words.contains("Packages") ?? false
        components = fields["components"]?.words.map(String.init) ?? []
        var known: Set<String> = []
        for line in sums.lines {
            let words = line.split { $0 == " " || $0 == "\t" }
            guard words.count == 3, let size = Int64(words[1]), (0...ContentRange.largest).contains(size),
                let digest = try? Checksum(algorithm, String(words[0]))
            else {
                throw DownloadError(
                    .badResponse, "'\(name)' has an index that cannot be read: '\(Printable.text(line))'.",
                    url: name)
            }
            let path = String(words[2])
            guard known.insert(path).inserted else { continue }
            indexes.append(Index(path: path, size: size, digest: digest))
        }
    }

    /// Returns the text inside a cleartext signature (RFC 9580, section 7); all of it if it is not signed.
    /// Text outside is not covered by the signature.
    private static func signedText(of bytes: [UInt8], name: String) throws(DownloadError) -> [UInt8] {
        let newline = UInt8(ascii: "\n")
        var lines = bytes.split(separator: newline, omittingEmptySubsequences: false).map { line in
            line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        }[...]
        let begin = Array("-----BEGIN PGP SIGNED MESSAGE-----".utf8)
        guard lines.first.map({ $0.elementsEqual(begin) }) == true else { return bytes }
        // The signature's own headers end with an empty line.
        lines = lines.drop { !$0.isEmpty }.dropFirst()
        let end = Array("-----BEGIN PGP SIGNATURE-----".utf8)
        guard let last = lines.firstIndex(where: { $0.elementsEqual(end) }) else {
            throw DownloadError(.badResponse, "'\(name)' ends before its signature.", url: name)
        }
        let escape = Array("- ".utf8)
        return Array(
            lines[..<last].map { $0.starts(with: escape) ? $0.dropFirst(2) : $0 }.joined(separator: [newline])
        )
            + [newline]
    }
}
