/// The authentication schemes that a refusal offers (RFC 9110, section 11.6.1), in lower case.
package struct AuthenticationSchemes: Equatable, Sendable {
    private(set) var names: [String] = []
    /// The algorithm of the first challenge for digest authentication, if libcurl does not support it: it
    /// then ignores the other challenges.
    private(set) var unknownAlgorithm: String?

    package init() {}

    init(_ head: ResponseHead) {
        self.init(head.values("www-authenticate"))
    }

    /// - Parameter fields: The values of the fields with challenges.
    init(_ fields: [String]) {
        let digest = fields.lazy.flatMap(AuthenticationChallenge.parse).first { $0.scheme == "digest" }
        if let algorithm = digest?.parameters["algorithm"],
            !Self.algorithms.contains(algorithm.lowercased())
        {
            unknownAlgorithm = algorithm
        }
        for piece in fields.flatMap({ $0.split(separator: ",") }) {
            // A challenge begins with the scheme's name; the other pieces are its parameters.
            let word = piece.split(separator: " ", maxSplits: 1).first.map { $0.lowercased() } ?? ""
            if Self.known.contains(word), !names.contains(word) { names.append(word) }
        }
    }

    private static let known: Set<String> = ["basic", "digest", "bearer", "negotiate", "ntlm"]

    /// The algorithms of libcurl (RFC 7616, section 3.3).
    private static let algorithms: Set<String> = [
        "md5", "md5-sess", "sha-256", "sha-256-sess", "sha-512-256", "sha-512-256-sess",
    ]

    /// The reason why basic authentication will not help; `nil` if it may help.
    var obstacle: Obstacle? {
        if names.isEmpty || names.contains("basic") { return nil }
        if names.contains("digest") {
            guard let unknownAlgorithm else { return .digest }
            return .unsupported(["Digest with the algorithm \(Printable.text(unknownAlgorithm))"])
        }
        return names.contains("bearer") ? .token : .unsupported(names.map(\.capitalized))
    }

    enum Obstacle: Equatable, Sendable {
        case digest
        case token
        /// The server accepts only these schemes, which this library does not support.
        case unsupported([String])
    }
}

extension String {
    /// The usual spelling of a scheme's name.
    fileprivate var capitalized: String {
        self == "ntlm" ? uppercased() : prefix(1).uppercased() + dropFirst()
    }
}
