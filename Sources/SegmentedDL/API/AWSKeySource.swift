import SegmentedDLSupport

/// A source of access keys that renews them before they expire, even during a download.
///
/// Two sources are equal if they are the same object.
public final class AWSKeySource: Sendable {
    /// How long before its expiration a key is no longer used for new requests, in seconds.
    private static let margin: Int64 = 5 * 60

    private let fetch: @Sendable () async throws -> AWSKeys?
    private let cached = CachedValue<AWSKeys?>()

    /// - Parameter fetch: Returns a key. Called for the first request, and again five minutes before the key
    ///   expires; never concurrently.
    public init(_ fetch: @escaping @Sendable () async throws -> AWSKeys) {
        self.fetch = fetch
    }

    private init(optional fetch: @escaping @Sendable () async throws -> AWSKeys?, _: Void) {
        self.fetch = fetch
    }

    /// Returns a source that may have no key; requests are then not signed.
    package static func optional(
        _ fetch: @escaping @Sendable () async throws -> AWSKeys?
    ) -> AWSKeySource {
        AWSKeySource(optional: fetch, ())
    }

    /// Returns a key that is valid for at least another minute; `nil` if the source has none. If fetching one
    /// fails, the previous key is used while it is valid.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Throws: The errors of `fetch`, or `CancellationError`.
    func keys(now: Int64) async throws -> AWSKeys? {
        let earlier = cached.last ?? nil
        do {
            return try await cached.value(
                if: { $0?.expires(within: Self.margin, of: now) != true }, orFetch: fetch)
        } catch {
            try Task.checkCancellation()
            guard let earlier, !earlier.expires(within: 0, of: now) else { throw error }
            return earlier
        }
    }
}

extension AWSKeySource: Hashable {
    /// True for the same object.
    public static func == (one: AWSKeySource, other: AWSKeySource) -> Bool { one === other }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
