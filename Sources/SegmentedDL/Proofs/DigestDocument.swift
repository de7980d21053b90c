/// A document that may list the digest of a file.
struct DigestDocument: Sendable, Equatable {
    private let text: String
    private let list: ChecksumList
    /// True if it names algorithms whose digests are as long as those of others, so that the length does not
    /// identify the algorithm.
    private let isAmbiguous: Bool

    /// Parts of the names of such algorithms, in lower case.
    private static let otherAlgorithms = [
        "blake", "b2sum", "b3sum", "whirlpool", "sha3", "sha-3", "keccak", "shake", "kangaroo", "ripemd",
        "rmd",
        "tiger", "gost", "streebog", "sm3", "xxh", "md2", "md4", "sha512/", "sha512-2", "sha512t", "sha-512/",
    ]

    /// - Returns: `nil` for a web page, or bytes that are not text.
    init?(_ bytes: [UInt8]) {
        guard !bytes.contains(0),
            bytes.first(where: { !Self.isBlank($0) }) != UInt8(ascii: "<"),
            let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        self.text = text
        list = ChecksumList(text)
        isAmbiguous = text.split(whereSeparator: \.isNewline).contains { line in
            guard !Self.beginsWithDigest(line) else { return false }
            let lowered = line.lowercased()
            return Self.otherAlgorithms.contains { lowered.contains($0) }
        }
    }

    /// The document as it was received.
    var bytes: [UInt8] { Array(text.utf8) }

    /// Returns true for a line whose remaining words are a file name.
    private static func beginsWithDigest(_ line: Substring) -> Bool {
        line.utf8.prefix(32).count == 32 && line.prefix(32).allSatisfy(\.isHexDigit)
    }

    /// Returns the strongest digest that the document lists for a file; `nil` if it lists none, or
    /// contradictory ones.
    func digest(of file: String, _ name: DigestName) -> Checksum? {
        guard !isAmbiguous || name.algorithm != nil else { return nil }
        // A document whose name contains an algorithm lists no digests of others.
        let listed = list.entries.filter { entry in
            Self.names(entry, file, anyDirectory: name.scope == .file)
                && name.algorithm ?? entry.checksum.algorithm == entry.checksum.algorithm
        }
        .map(\.checksum)
        let found = listed.isEmpty && name.scope == .file ? alone(file, name.algorithm) : listed
        guard let best = found.max(by: { $0.algorithm.length < $1.algorithm.length }),
            found.allSatisfy({ $0 == best || $0.algorithm != best.algorithm })
        else { return nil }
        return best
    }

    /// - Parameter anyDirectory: True to ignore the path before the name, because the document is about this
    ///   file only.
    private static func names(_ entry: ChecksumList.Entry, _ file: String, anyDirectory: Bool) -> Bool {
        var name = entry.name[...]
        while name.hasPrefix("./") { name = name.dropFirst(2) }
        if anyDirectory, let slash = name.lastIndex(where: { $0 == "/" || $0 == "\\" }) {
            name = name[name.index(after: slash)...]
        }
        return name == file
    }

    /// Reads a digest without a name, or in the format of `gpg --print-md`: `NAME: 0A1B 2C3D …` over several
    /// lines.
    private func alone(_ file: String, _ algorithm: Checksum.Algorithm?) -> [Checksum] {
        guard list.entries.isEmpty else { return [] }
        var rest = text[...]
        if let colon = rest.firstIndex(of: ":"), Self.isLabel(rest[..<colon], of: file) {
            rest = rest[rest.index(after: colon)...]
        }
        let words = rest.split(whereSeparator: \.isWhitespace)
        let digits = words.joined()
        let possible = algorithm.map { [$0] } ?? Checksum.Algorithm.hashes
        return possible.first { $0.length * 2 == digits.utf8.count }
            .flatMap { try? Checksum($0, digits) }.map { [$0] } ?? []
    }

    private static func isLabel(_ label: Substring, of file: String) -> Bool {
        let word = label.split(whereSeparator: \.isWhitespace).joined()
        let plain = word.lowercased().filter { $0 != "-" }
        return word == file || word.hasSuffix("/" + file)
            || Checksum.Algorithm.hashes.contains { $0.rawValue == plain }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0a, 0x0d].contains(byte) }
}
