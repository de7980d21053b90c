internal import SegmentedDL
package import SegmentedDLQueue

/// An `Authorization` as it is stored, and sent to a daemon.
package struct StoredAuthorization: Sendable, Equatable, Codable {
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
