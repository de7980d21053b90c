import SegmentedDLSupport

/// A source of the Authorization field (RFC 9110, section 11.6.2) for one host, such as tokens that expire.
///
/// The first request is sent without the field. When the host refuses a request with status 401, even during
/// a download, the closure is called with the host's challenges, and the request is retried. Other requests
/// of the same source send the last value. If that value has been used up by the time this request is sent,
/// the closure is called again: up to eight times for one request, or three times for values that the host
/// never accepts.
///
///     let source = AuthorizationSource { challenges in
///         "Bearer \(try await accounts.freshToken())"
///     }
///     request.credentials = .authorization(from: source)
///
/// Two sources are equal if they are the same object.
public final class AuthorizationSource: Sendable {
    private let answer: @Sendable ([String]) async throws -> String?
    private let cached = CachedValue<String?>()
    /// The last values that the host accepted.
    private let accepted = Lock([String]())
    /// The maximum number of values in use at the same time.
    private static let mostAccepted = 8

    /// Creates a source.
    ///
    /// - Parameter answer: Returns the field's value for the challenges of a 401 response (the values of its
    ///   WWW-Authenticate fields); `nil` if the source has none, so that the request fails. White space
    ///   around the value is removed, such as the line break at the end of a file. An empty value, or one
    ///   with control characters, fails the request with code `invalidSetting`, and an error that the
    ///   closure throws with `closureFailed`, unless it is a `DownloadError`. It is never
    ///   called concurrently. Downloads wait for it, so it must not wait for one of
    ///   them: in a download of a manager, such a wait throws `DownloadError` with code `waitsForItself`.
    public init(_ answer: @escaping @Sendable ([String]) async throws -> String?) {
        self.answer = answer
    }

    /// The field's value for the next request; `nil` before the first refusal.
    var value: String? { cached.last ?? nil }

    /// Requests a new value, unless another request has done so in the meantime.
    ///
    /// - Parameters:
    ///   - refused: The value of the request that was refused.
    ///   - challenges: The values of the refusal's WWW-Authenticate fields.
    /// - Returns: True if a new value exists.
    /// - Throws: The errors of the closure, or `CancellationError`; `DownloadError` with code
    ///   `invalidSetting` if the value is not valid.
    func renew(after refused: String?, challenges: [String]) async throws -> Bool {
        let value = try await cached.value(
            if: { $0 != nil && $0 != refused },
            orFetch: { [answer] in try await Self.checked(answer(challenges)) })
        return value != nil && value != refused
    }

    /// Records that the host accepted a request with a value.
    func worked(_ value: String) {
        accepted.withLock { accepted in
            guard !accepted.contains(value) else { return }
            if accepted.count >= Self.mostAccepted { accepted.removeFirst() }
            accepted.append(value)
        }
    }

    /// Returns true if the host has accepted a request with a value, which has expired if it is refused now.
    func hasWorked(_ value: String?) -> Bool {
        value.map { value in accepted.withLock { $0.contains(value) } } ?? false
    }

    private static func checked(_ answer: String?) throws(DownloadError) -> String? {
        guard let value = answer?.trimmingBlanksAndLines() else { return nil }
        try require(
            !value.isEmpty && HTTPHeader.isPlain(value),
            "The closure of an AuthorizationSource returned a value that is empty, or contains a line break or another control character; return one line, such as 'Bearer TOKEN'."
        )
        return value
    }
}

extension AuthorizationSource: Hashable {
    /// True for the same object.
    public static func == (one: AuthorizationSource, other: AuthorizationSource) -> Bool { one === other }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
