/// The credentials that may be sent to a server.
extension SourceClient {
    /// The caller's header fields and credentials belong to one host and must not be sent to another. A
    /// redirect may contain credentials for its own target.
    func credentials(at place: Source) -> Credentials? {
        if place.url != source.url, let own = place.credentials { return own }
        return place.origin == source.origin ? access.credentials ?? source.credentials : nil
    }

    /// Returns the credentials for a server, with keys that are currently valid.
    func currentCredentials(at place: Source) async throws -> Credentials? {
        do {
            guard let found = credentials(at: place) else { return nil }
            let current = try await found.current(now: WallClock.seconds())
            if current == nil, let reason = found.takeLack() { logger.tell(.unsigned(reason)) }
            return current
        } catch let error as DownloadError {
            throw TransferFailure.other(error)
        }
    }

    /// Returns true if the request has a user name and a password, and the transport has no other scheme.
    func mayUseDigest(_ request: TransferRequest) -> Bool {
        sendsBasic && request.credentials.map { $0.signature == nil } ?? false
    }

    /// Returns true if the host refused a password sent by basic authentication, and offers only digest
    /// authentication, which its next requests use.
    func requiresDigest(_ response: Response, _ request: TransferRequest, at place: Source) -> Bool {
        guard response.head.status == 401, mayUseDigest(request), !request.usesDigest,
            AuthenticationSchemes(response.head).obstacle == .digest
        else { return false }
        answered.offeredOnlyDigest(place.origin.description)
        return true
    }

    /// Returns true if the host refused digest authentication, which it required for another file, and offers
    /// basic authentication, which its next requests use.
    func requiresBasic(_ response: Response, _ request: TransferRequest, at place: Source) -> Bool {
        guard response.head.status == 401, mayUseDigest(request), request.usesDigest,
            AuthenticationSchemes(response.head).names.contains("basic")
        else { return false }
        answered.offeredBasic(place.origin.description)
        return true
    }

    /// Returns true if the source of a refused request's Authorization field now has another value.
    func renewed(
        _ source: AuthorizationSource, after refused: String?, _ response: Response
    ) async throws -> Bool {
        do {
            return try await source.renew(
                after: refused, challenges: response.head.values("www-authenticate"))
        } catch let error as DownloadError {
            throw TransferFailure.other(error)
        }
    }
}
