/// The names of a document's signatures.
enum SignatureName {
    /// The suffixes of a document's name, the most common one first.
    private static func endings(_ kind: ProofKey.Kind) -> [String] {
        switch kind {
        case .minisign: [".minisig"]
        case .openPGP: [".asc", ".sig", ".gpg", ".sign"]
        case .cosign: [".sig"]
        }
    }

    private static func endings(_ kinds: Set<ProofKey.Kind>) -> [String] {
        ProofKey.Kind.allCases.filter(kinds.contains).flatMap(endings)
    }

    /// Returns the name of a document's signature among the names of its directory; `nil` if none is by a key
    /// of these kinds.
    static func of(_ document: String, among names: Set<String>, _ kinds: Set<ProofKey.Kind>) -> String? {
        endings(kinds).map { document + $0 }.first(where: names.contains)
    }

    /// Returns the name to request if no listing shows one; `nil` without keys.
    static func guess(_ document: String, _ kinds: Set<ProofKey.Kind>) -> String? {
        endings(kinds).first.map { document + $0 }
    }
}
