/// A digest that a document lists for a file.
struct ListedDigest: Sendable, Equatable {
    var checksum: Checksum
    /// True if the document names the algorithm. Otherwise the length suggests it, but other algorithms have
    /// digests of the same length: such a digest can prove a file, but not disprove it.
    var isNamed: Bool
}

/// A document that may list the digest of a file.
struct DigestDocument: Sendable, Equatable {
    private typealias Bytes = ArraySlice<UInt8>

    private struct Entry: Sendable, Equatable {
        /// `nil` if the line has none.
        var name: String?
        var digest: ListedDigest
    }

    /// The document as it was received.
    let bytes: [UInt8]
    private let entries: [Entry]
    /// The beginning of the lines that are neither entries nor comments, each with a line feed.
    private let others: [UInt8]
    /// True if it names algorithms whose digests are as long as those of others, so that the length does not
    /// identify the algorithm.
    private let isAmbiguous: Bool

    /// The maximum length of a line that may be an entry, in bytes: names have at most a few thousand.
    static let maximumLineBytes = 64 << 10
    /// The maximum length of lines that together contain one digest.
    private static let maximumGroupBytes = 8 << 10
    /// The maximum length of an algorithm's name with blanks.
    private static let maximumLabelBytes = 64

    /// Parts of the names of such algorithms, in lower case.
    private static let otherAlgorithms = WordFinder([
        "blake", "b2sum", "b3sum", "whirlpool", "sha3", "sha-3", "keccak", "shake", "kangaroo", "ripemd",
        "rmd",
        "tiger", "gost", "streebog", "sm3", "xxh", "md2", "md4", "sha512/", "sha512-2", "sha512t", "sha-512/",
    ])
    private static let algorithms = WordFinder(Checksum.Algorithm.hashes.map(\.rawValue))

    /// - Returns: `nil` for a web page, or bytes that are not text.
    init?(_ bytes: [UInt8]) {
        let text = ByteOrderMark.isUTF16(bytes) ? ByteOrderMark.inUTF8(bytes) : bytes
        let content = text.starts(with: ByteOrderMark.utf8) ? text[3...] : text[...]
        guard !content.contains(0), content.first(where: { !$0.isBlankOrLineEnd }) != UInt8(ascii: "<") else {
            return nil
        }
        var (entries, others) = ([Entry](), [UInt8]())
        var (isAmbiguous, named) = (false, Set<Int>())
        var parser = ChecksumList.LineParser()
        for line in content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let line = line.drop { $0.isBlankOrLineEnd }
            let meaning = line.count > Self.maximumLineBytes ? .other : Self.meaning(of: line, &parser)
            switch meaning {
            case .entry(let entry):
                entries.append(entry)
                continue
            case .nothing: continue
            case .other where others.count <= Self.maximumGroupBytes:
                others += line.prefix(Self.maximumGroupBytes)
                others.append(UInt8(ascii: "\n"))
            case .other, .comment: break
            }
            isAmbiguous = isAmbiguous || !Self.otherAlgorithms.words(in: line).isEmpty
            named.formUnion(Self.algorithms.words(in: line, ignoring: UInt8(ascii: "-")))
        }
        if !isAmbiguous {
            let algorithms = named.map { Checksum.Algorithm.hashes[$0] }
            for index in entries.indices where algorithms.contains(entries[index].digest.checksum.algorithm) {
                entries[index].digest.isNamed = true
            }
        }
        self.isAmbiguous = isAmbiguous
        self.bytes = bytes
        self.entries = entries
        self.others = others
    }

    // MARK: Lines

    private enum Meaning {
        case entry(Entry)
        case comment
        case other
        /// An empty line, or one that a signature adds.
        case nothing
    }

    private static func meaning(of line: Bytes, _ parser: inout ChecksumList.LineParser) -> Meaning {
        let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        switch parser.take(line) {
        case .entry(let entry):
            // Other formats begin with the algorithm.
            let isBare = line.drop { $0 == UInt8(ascii: "\\") }.prefix(32).allSatisfy(Hexadecimal.isDigit)
            return .entry(
                Entry(name: entry.name, digest: ListedDigest(checksum: entry.checksum, isNamed: !isBare)))
        case .nothing:
            return line.first == UInt8(ascii: "#") || line.first == UInt8(ascii: ";") ? .comment : .nothing
        case .strange:
            let line = trimmed(line)
            if let digest = bare(line) {
                return .entry(Entry(name: nil, digest: ListedDigest(checksum: digest, isNamed: false)))
            }
            return labelled(line, &parser).map { .entry($0) } ?? .other
        }
    }

    /// Reads `SHA256 = DIGEST`, `SHA-256: DIGEST` or `sha256:DIGEST  NAME`.
    private static func labelled(_ line: Bytes, _ parser: inout ChecksumList.LineParser) -> Entry? {
        guard let end = line.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "=") }),
            end - line.startIndex <= maximumLabelBytes,
            let algorithm = algorithm(String(decoding: line[..<end], as: UTF8.self))
        else { return nil }
        let rest = line[(end + 1)...].drop { $0.isBlankOrLineEnd }
        var entry: Entry?
        if let digest = bare(rest) {
            entry = Entry(name: nil, digest: ListedDigest(checksum: digest, isNamed: true))
        } else if case .entry(let found) = parser.take(rest) {
            entry = Entry(name: found.name, digest: ListedDigest(checksum: found.checksum, isNamed: true))
        }
        return entry?.digest.checksum.algorithm == algorithm ? entry : nil
    }

    /// Reads a label such as `SHA256`, `sha-256` or OpenSSL's `SHA2-256`.
    private static func algorithm(_ label: String) -> Checksum.Algorithm? {
        var plain = label.lowercased().filter { !$0.isWhitespace }
        if plain.hasPrefix("sha2-") { plain = "sha" + plain.dropFirst(5) }
        plain.removeAll { $0 == "-" }
        return Checksum.Algorithm.hashes.first { $0.rawValue == plain }
    }

    private static func bare(_ line: Bytes) -> Checksum? {
        guard let algorithm = Checksum.Algorithm.hashes.first(where: { $0.length * 2 == line.count }) else {
            return nil
        }
        return try? Checksum(algorithm, String(decoding: line, as: UTF8.self))
    }

    private static func trimmed(_ line: Bytes) -> Bytes {
        line[...(line.lastIndex { !$0.isBlankOrLineEnd } ?? line.endIndex - 1)]
    }

    // MARK: The digest of a file

    /// Returns the strongest digest that the document lists for a file; `nil` if it lists none, or
    /// contradictory ones. Digests whose algorithm is named are preferred.
    func digest(of file: String, _ name: DigestName) -> ListedDigest? {
        let found = listed(file, name.scope).compactMap { digest -> ListedDigest? in
            // A document whose name contains an algorithm lists no digests of others.
            guard let algorithm = name.algorithm else { return digest }
            guard digest.checksum.algorithm == algorithm else { return nil }
            return ListedDigest(checksum: digest.checksum, isNamed: true)
        }
        let named = found.filter(\.isNamed)
        let usable = named.isEmpty && !isAmbiguous ? found : named
        guard
            let best = usable.max(by: { $0.checksum.algorithm.length < $1.checksum.algorithm.length }),
            usable.allSatisfy({
                $0.checksum == best.checksum || $0.checksum.algorithm != best.checksum.algorithm
            })
        else { return nil }
        return best
    }

    private func listed(_ file: String, _ scope: DigestName.Scope) -> [ListedDigest] {
        func digests(trimming: Bool) -> [ListedDigest] {
            entries.filter { entry in
                entry.name.map { Self.names($0, file, anyDirectory: scope == .file, trimming) } ?? false
            }.map(\.digest)
        }
        let exact = digests(trimming: false)
        let listed = exact.isEmpty ? digests(trimming: true) : exact
        return listed.isEmpty && scope == .file ? alone(file) : listed
    }

    /// - Parameters:
    ///   - anyDirectory: True to ignore the path before the name, because the document is about this file
    ///     only.
    ///   - trimming: True to ignore blanks around the name.
    private static func names(
        _ entry: String, _ file: String, anyDirectory: Bool, _ trimming: Bool
    ) -> Bool {
        var name = entry[...]
        if trimming {
            name = name.drop { $0 == " " || $0 == "\t" }
            while let last = name.last, last == " " || last == "\t" { name.removeLast() }
        }
        while name.hasPrefix("./") { name = name.dropFirst(2) }
        if anyDirectory, let slash = name.lastIndex(where: { $0 == "/" || $0 == "\\" }) {
            name = name[name.index(after: slash)...]
        }
        return name == file
    }

    /// Returns the digests of a document without file names.
    private func alone(_ file: String) -> [ListedDigest] {
        // The names of the standard input.
        if entries.count == 1, ["-", "stdin"].contains(entries[0].name) { return entries.map(\.digest) }
        guard entries.allSatisfy({ $0.name == nil }) else { return [] }
        guard !others.isEmpty else { return entries.map(\.digest) }
        return entries.isEmpty ? grouped(file).map { [$0] } ?? [] : []
    }

    /// Reads a digest after a label, or in the format of `gpg --print-md`: `NAME: 0A1B2C3D 4E5F6071 …`, with
    /// groups of equal length over several lines.
    private func grouped(_ file: String) -> ListedDigest? {
        guard others.count <= Self.maximumGroupBytes else { return nil }
        let text = String(decoding: others, as: UTF8.self)
        var (rest, algorithm) = (text[...], Checksum.Algorithm?.none)
        if let colon = text.firstIndex(of: ":") {
            let label = text[..<colon].split(whereSeparator: \.isWhitespace).joined()
            algorithm = Self.algorithm(label)
            guard algorithm != nil || label == file || label.hasSuffix("/" + file) else { return nil }
            rest = text[text.index(after: colon)...]
        }
        let words = rest.split(whereSeparator: \.isWhitespace)
        guard let length = words.first?.utf8.count, words.allSatisfy({ $0.utf8.count == length }),
            words.count == 1 || [2, 4, 8].contains(length),
            let digest = Self.bare(Array(words.joined().utf8)[...]),
            digest.algorithm == algorithm ?? digest.algorithm
        else { return nil }
        return ListedDigest(checksum: digest, isNamed: algorithm != nil)
    }
}
