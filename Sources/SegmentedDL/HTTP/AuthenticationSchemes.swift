/// The authentication schemes that a refusal offers (RFC 9110, section 11.6.1), in lower case.
package struct AuthenticationSchemes: Equatable, Sendable {
    private(set) var names: [String] = []

    package init() {}

    init(_ head: ResponseHead) {
        for piece in head.values("www-authenticate").flatMap({ $0.split(separator: ",") }) {
            // A challenge begins with the scheme's name; the other pieces are its parameters.
            let word = piece.split(separator: " ", maxSplits: 1).first.map { $0.lowercased() } ?? ""
            if Self.known.contains(word), !names.contains(word) { names.append(word) }
        }
    }

    private static let known: Set<String> = ["basic", "digest", "bearer", "negotiate", "ntlm"]

    /// The reason why basic authentication will not help; `nil` if it may help.
    var obstacle: Obstacle? {
        if names.isEmpty || names.contains("basic") { return nil }
        if names.contains("digest") { return .digest }
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
