extension TransferRequest {
    /// Checks all text that is written into the head. It comes from callers, their closures, files and the
    /// environment.
    ///
    /// - Throws: `TransferFailure.other` with code `invalidSetting`.
    func checkFields() throws(TransferFailure) {
        do throws(DownloadError) {
            for header in headers { try header.check() }
            // Digest authentication sends the name as it is. Basic authentication encodes it, but forbids
            // control characters too (RFC 7617, section 2).
            try require(
                HTTPHeader.isPlain(credentials?.user ?? ""),
                "The user name for \(host) contains a line break or another control character; correct it.")
        } catch {
            throw TransferFailure.other(error)
        }
    }
}

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
        } catch {
            throw keyFailure(error, at: place)
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

    /// Returns true if a refused request may be sent again, with another Authorization field or access key
    /// from the source of its credentials.
    ///
    /// - Parameter retries: The retries of the request for this reason.
    func mayRenew(
        _ credentials: Credentials?, after response: Response, _ retries: inout CredentialRetries
    ) -> Bool {
        guard let credentials else { return false }
        if case .signatureRefused(let refusal) = response.verdict {
            return credentials.hasKeySource && refusal.refusesKey && retries.mayRenewKeys()
        }
        guard let source = credentials.authorization else { return false }
        let field = credentials.field
        guard response.head.status == 401 else {
            if let field, isAcceptance(response) { source.worked(field) }
            return false
        }
        return retries.field.mayRetry(after: field, hasWorked: source.hasWorked(field))
    }

    private func isAcceptance(_ response: Response) -> Bool {
        var leavesOrigin = false
        if case .redirect(let location) = response.verdict {
            let target = try? redirectRule.target(of: location, from: response.source, hops: 0)
            leavesOrigin = target.map { $0.origin != response.source.origin } ?? false
        }
        return FieldRetries.isAcceptance(status: response.head.status, leavesOrigin: leavesOrigin)
    }

    /// Returns true if the source of a refused request's credentials now has another field or key.
    func renewed(_ credentials: Credentials, after response: Response) async throws -> Bool {
        guard let source = credentials.authorization else {
            do {
                return try await credentials.renewKeys()
            } catch {
                throw keyFailure(error, at: response.source)
            }
        }
        do {
            return try await source.renew(
                after: credentials.field, challenges: response.head.values("www-authenticate"))
        } catch {
            throw failure(error, "The Authorization field for \(self.source) could not be obtained")
        }
    }

    private func keyFailure(_ error: any Error, at place: Source) -> any Error {
        failure(error, "The access key for \(place.origin) could not be obtained")
    }

    /// Returns the failure of a request whose credentials could not be obtained: that of the caller's
    /// closure, or a cancellation of this request.
    private func failure(_ error: any Error, _ what: String) -> any Error {
        if error is CancellationError, Task.isCancelled { return error }
        return TransferFailure.other(DownloadError(ofClosure: error, what, url: source.description))
    }
}
