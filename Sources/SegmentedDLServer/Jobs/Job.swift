package import SegmentedDL
package import SegmentedDLQueue

/// The part of a client's call that the queue does not keep.
package struct Job: Sendable, Equatable, Codable {
    /// The values of aria2's options, as the RPC got them; only `header` may have several.
    package var options: [String: [String]] = [:]
    /// The header fields and credentials of a download that came as a request, and not as options; `nil` for
    /// one that came as options, or without any of these.
    package var access: Access?
    /// The place that the digest of its options was taken from; `nil` if a person or a program named it.
    package var checksumOrigin: ChecksumOrigin?

    /// Digests of the file's pieces, which a Metalink named.
    package var pieces: PieceHashes?
    /// The length in bytes that a Metalink named.
    package var length: Int64?

    package init(options: [String: [String]] = [:]) {
        self.options = options
    }

    /// An `Authorization`, as it is stored.
    package struct Access: Sendable, Equatable, Codable {
        private var headers: [String]
        private var user: String?
        private var password: String?

        package init(_ authorization: Authorization) {
            headers = authorization.headers.map { "\($0.name): \($0.value)" }
            user = authorization.credentials?.user
            password = authorization.credentials?.password
        }

        package var authorization: Authorization {
            Authorization(
                headers: headers.compactMap { HTTPHeader(parsing: $0) },
                credentials: user.map { Credentials(user: $0, password: password ?? "") })
        }
    }
}
