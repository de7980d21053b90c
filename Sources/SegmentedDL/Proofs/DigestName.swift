/// The name of a digest list: `SHA256SUMS`, `disk.iso.sha512`, `tool_1.2_checksums.txt`.
struct DigestName: Sendable, Hashable {
    /// The files that a digest list covers.
    enum Scope: Sendable, Hashable {
        /// Files in its directory, which it lists by name.
        case directory
        /// One file; the document's name begins with the file's name.
        case file
    }

    let name: String
    let scope: Scope
    /// The algorithm in the name; `nil` if the name has none.
    let algorithm: Checksum.Algorithm?
    /// True for a list that is embedded in its signature (RFC 9580, section 7).
    let isSigned: Bool

    /// Parses a name; `nil` if it is not the name of a list.
    ///
    /// - Parameter files: The names of other files in the directory, in lower case: a name that begins with
    ///   one of them belongs to that file.
    init?(ofList name: String, beside files: Set<String> = []) {
        var text = name.lowercased()
        var isSigned = false
        if text.hasSuffix(".asc") {
            text.removeLast(4)
            isSigned = true
        }
        if text.hasSuffix(".txt") { text.removeLast(4) }
        let words = text.split { !$0.isLetter && !$0.isNumber }
        guard let word = words.first(where: { Self.listWords.contains(String($0)) }),
            // Any following word is a version or a product, as in `CHECKSUM.SHA256-FreeBSD-14.1`.
            !words.contains(where: { Self.otherWords.contains(String($0)) }),
            // A detached signature is named after its list.
            !isSigned || !files.contains(text)
        else { return nil }
        let owner = text[..<word.startIndex].drop { !$0.isLetter && !$0.isNumber }
        guard !files.contains(Self.trimmed(owner)) else { return nil }
        self.init(name, .directory, Self.algorithm(in: text), isSigned: isSigned)
    }

    /// Parses the name of a document about one file; `nil` for any other.
    init?(_ name: String, ofFile file: String) {
        let (text, file) = (name.lowercased(), file.lowercased())
        guard text.hasPrefix(file + ".") else { return nil }
        var ending = text.dropFirst(file.utf8.count + 1)
        if ending.hasSuffix(".txt") { ending = ending.dropLast(4) }
        let word = ending.filter { $0 != "-" }
        let algorithm = Checksum.Algorithm.hashes.first { algorithm in
            ["", "sum", "sums"].contains { word == algorithm.rawValue + $0 }
        }
        guard algorithm != nil || Self.fileWords.contains(String(ending)) else { return nil }
        self.init(name, .file, algorithm, isSigned: false)
    }

    private init(_ name: String, _ scope: Scope, _ algorithm: Checksum.Algorithm?, isSigned: Bool) {
        self.name = name
        self.scope = scope
        self.algorithm = algorithm
        self.isSigned = isSigned
    }

    private static let listWords: Set<String> = [
        "sha512sums", "sha512sum", "sha512", "shasums512", "sha256sums", "sha256sum", "sha256", "shasums256",
        "shasums", "sha1sums", "sha1sum", "md5sums", "md5sum", "checksums", "checksum", "digests",
    ]

    /// Words in the names of signatures and of other digests.
    private static let otherWords: Set<String> = [
        "sig", "sign", "gpg", "minisig", "pem", "sigstore", "bundle", "cert", "json", "xml", "html", "zsync",
        "blake", "blake2", "blake2b", "blake2s", "blake3", "b2sum", "b2sums", "b3sums", "sha3",
    ]

    private static let fileWords: Set<String> = ["", "checksum", "checksums", "digest", "digests"]

    private static func trimmed(_ owner: Substring) -> String {
        String(owner.reversed().drop { !$0.isLetter && !$0.isNumber }.reversed())
    }

    private static func algorithm(in text: String) -> Checksum.Algorithm? {
        // Other numbers may belong to a version.
        let named: [(String, Checksum.Algorithm)] = [
            ("sha512", .sha512), ("shasums512", .sha512), ("sha256", .sha256), ("shasums256", .sha256),
            ("sha384", .sha384), ("sha224", .sha224), ("sha1", .sha1), ("md5", .md5),
        ]
        let plain = text.filter { $0 != "-" && $0 != "_" }
        return named.first { plain.contains($0.0) }?.1
    }

    // MARK: The best one

    /// Returns the best document for a file among the names of its directory; `nil` if none covers it.
    ///
    /// - Parameters:
    ///   - file: The file's name.
    ///   - names: The names of the directory.
    ///   - kinds: The kinds of keys whose signatures are searched for. A document with such a signature is
    ///     preferred.
    static func best(
        for file: String, among names: [String], signedBy kinds: Set<ProofKey.Kind> = []
    ) -> DigestName? {
        let others = Set(names.map { $0.lowercased() })
        var found = names.compactMap { name in
            DigestName(name, ofFile: file)
                ?? (name.lowercased() == file.lowercased() ? nil : DigestName(ofList: name, beside: others))
        }
        let exact = Set(names)
        // Two files may have names that differ only in case.
        let own = found.filter { $0.scope == .file && $0.name.hasPrefix(file + ".") }
        found.removeAll { name in
            name.scope == .file && !own.contains(name)
                && (!own.isEmpty || exact.contains(String(name.name.prefix(file.count))))
        }
        func rank(_ name: DigestName) -> Int {
            name.rank + (name.hasSignature(among: exact, kinds) ? 0 : Self.worstRank + 1)
        }
        return found.min { (rank($0), $0.name) < (rank($1), $1.name) }
    }

    /// Returns true for a document that a key of these kinds may have signed, by its name.
    func hasSignature(among names: Set<String>, _ kinds: Set<ProofKey.Kind>) -> Bool {
        isSigned && kinds.contains(.openPGP) || SignatureName.of(name, among: names, kinds) != nil
    }

    private static let worstRank = 15

    /// Lower is better: a digest that only detects accidents ranks last.
    private var rank: Int {
        let strength: Int
        switch algorithm {
        case .sha256?, .sha512?: strength = 0
        case nil, .sha384?, .sha224?: strength = 1
        case .sha1?: strength = 2
        default: strength = 3
        }
        return strength * 4 + (isSigned ? 2 : 0) + (scope == .file ? 0 : 1)
    }
}
