import SegmentedDLSupport

/// A source of access keys that renews them before they expire, or when the store refuses them, even during a
/// download.
///
/// Two sources are equal if they are the same object.
public final class AWSKeySource: Sendable {
    /// How long before its expiration a key is no longer used for new requests, in seconds.
    private static let margin: Int64 = 5 * 60

    private let fetch: @Sendable () async throws -> AWSKeys?
    private let cached = CachedValue<AWSKeys?>()
    /// The reason why there are no keys, until it is taken.
    private let lack: Lock<String?>

    /// - Parameter fetch: Returns a key. Called for the first request, again five minutes before the key
    ///   expires, and once for a request whose key the store refuses earlier; never concurrently. Downloads
    ///   wait for it, so it must not wait for one of them: in a download of a manager, such a wait throws
    ///   `DownloadError` with code `waitsForItself`. An error that it throws fails the request with code
    ///   `closureFailed`, unless it is a `DownloadError`.
    public init(_ fetch: @escaping @Sendable () async throws -> AWSKeys) {
        self.fetch = fetch
        lack = Lock(nil)
    }

    private init(optional fetch: @escaping @Sendable () async throws -> AWSKeys?, lack: Lock<String?>) {
        self.fetch = fetch
        self.lack = lack
    }

    /// Returns a source that may have no key; requests are then not signed.
    ///
    /// - Parameter lack: The reason, which `fetch` sets.
    static func optional(
        lack: Lock<String?> = Lock(nil), _ fetch: @escaping @Sendable () async throws -> AWSKeys?
    ) -> AWSKeySource {
        AWSKeySource(optional: fetch, lack: lack)
    }

    /// Returns the reason why the source has no key, once; `nil` if none is known.
    func takeLack() -> String? {
        lack.withLock { lack in
            defer { lack = nil }
            return lack
        }
    }

    /// Returns a key that is valid for at least another minute; `nil` if the source has none. If fetching one
    /// fails, the previous key is used while it is valid.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Throws: The errors of `fetch`, or `CancellationError`.
    func keys(now: Int64) async throws -> AWSKeys? {
        let earlier = cached.last ?? nil
        do {
            return try await value(after: earlier) { $0?.expires(within: Self.margin, of: now) != true }
        } catch {
            try Task.checkCancellation()
            guard let earlier, !earlier.expires(within: 0, of: now) else { throw error }
            return earlier
        }
    }

    /// Fetches another key after the store has refused one that should still be valid, unless another request
    /// has done so in the meantime.
    ///
    /// - Parameter isRefused: Returns true for the refused key.
    /// - Returns: True if another key exists.
    /// - Throws: The errors of `fetch`, or `CancellationError`.
    func renew(after isRefused: (AWSKeys) -> Bool) async throws -> Bool {
        let found = try await value(after: cached.last ?? nil) { $0.map { !isRefused($0) } ?? false }
        return found.map { !isRefused($0) } ?? false
    }

    private func value(
        after earlier: AWSKeys?, if isUsable: (AWSKeys?) -> Bool
    ) async throws -> AWSKeys? {
        try await cached.value(if: isUsable) { [fetch] in
            let keys = try await fetch()
            // Without a signature, requests would fail that the earlier key could still sign.
            guard keys != nil || earlier == nil else { throw Self.lost }
            return keys
        }
    }

    private static var lost: DownloadError {
        DownloadError(
            .timedOut, "The service that supplied the access key supplies none any more; try again later.",
            isRetryable: true)
    }
}

extension AWSKeySource: Hashable {
    /// True for the same object.
    public static func == (one: AWSKeySource, other: AWSKeySource) -> Bool { one === other }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
