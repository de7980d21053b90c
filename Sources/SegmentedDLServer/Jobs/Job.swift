package import SegmentedDL
package import SegmentedDLQueue

/// The parts of a client's call that the queue does not store.
package struct Job: Sendable, Equatable, Codable {
    /// The values of aria2's options, as received by the RPC; only `header` may have several values.
    package var options: [String: [String]] = [:]
    /// The header fields and credentials of a download that was added as a request; `nil` for one that was
    /// added by options, or has neither.
    package var access: Access?
    /// The origin of the digest in its options; `nil` if a person or a program supplied it.
    package var checksumOrigin: ChecksumOrigin?

    /// True if the first run discards the bytes of an earlier run; `nil` if the options decide.
    package var startsOver: Bool?

    /// Digests of the file's pieces, from a Metalink.
    package var pieces: PieceHashes?
    /// The length in bytes, from a Metalink.
    package var length: Int64?

    package init(options: [String: [String]] = [:]) {
        self.options = options
    }

    /// An `Authorization` as stored.
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
