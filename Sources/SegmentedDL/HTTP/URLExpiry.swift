#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The expiration of a signed URL, as its query states it.
enum URLExpiry {
    /// The prefixes of a time and a lifetime, at Amazon's, Google's, Alibaba's and ByteDance's stores.
    private static let datedFields = ["x-amz-", "x-goog-", "x-oss-", "x-tos-"]
    /// The fields with a time in seconds or milliseconds since 1970: of S3 (version 2), CloudFront, nginx's
    /// secure_link, and others.
    private static let epochFields = ["expires", "expire", "expiry", "exp"]
    /// The minimum length of a signature in bytes, if its name is unknown: 96 bits in base64.
    private static let shortestSignature = 16
    /// The texts of refusals that attribute them to the expiration, in lower case: `ExpiredToken` and
    /// `Request has expired` of S3, and usual sentences of other servers.
    private static let statements = [
        "expiredtoken", "has expired", "url expired", "link expired", "token expired", "signature expired",
    ]

    /// Returns the earliest time that a query states, in seconds since 1970; `nil` if it states none.
    static func seconds(in url: String) -> Int64? {
        guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        var fields: [String: String] = [:]
        for field in url[mark...].dropFirst().split(separator: "&") {
            let pair = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { continue }
            fields[pair[0].lowercased()] = String(decoding: URLParser.decodedBytes(pair[1]), as: UTF8.self)
        }
        var times = datedFields.map { end(fields[$0 + "date"], fields[$0 + "expires"]) }
        // Without a signature, the number may mean anything, or the server does not enforce the time.
        if fields.contains(where: { isSignature($0.key, $0.value) }) {
            times += epochFields.map { epoch(fields[$0]) }
        }
        // A shared access signature of Azure.
        if fields["sig"] != nil { times.append(fields["se"].flatMap(date)) }
        times.append(fields["policy"].flatMap(policyEnd))
        // The beginning and the end, at Tencent's store.
        times.append(epoch(fields["q-sign-time"]?.split(separator: ";").dropFirst().first))
        // Tokens of Akamai and Google's CDN.
        for value in fields.values where value.contains("~") {
            let part = value.split(separator: "~").first { $0.lowercased().hasPrefix("exp=") }
            times.append(epoch(part?.dropFirst("exp=".count)))
        }
        return times.compactMap(\.self).min()
    }

    private static func isSignature(_ name: String, _ value: String) -> Bool {
        guard !epochFields.contains(name) else { return false }
        return SignedQuery.isOfSignature(name) || value.utf8.count >= shortestSignature
    }

    /// Returns true if a refusal of a URL with a signature states that it has expired.
    ///
    /// - Parameter reason: The reason in the body (`RefusalReason`).
    static func isStated(by reason: String?, about url: String) -> Bool {
        guard let reason = reason?.lowercased(), SignedQuery.unsigned(url) != nil else { return false }
        return statements.contains { reason.contains($0) }
    }

    /// Returns the end of a lifetime in seconds that begins at a date such as `20261127T160000Z`.
    private static func end(_ date: String?, _ lifetime: String?) -> Int64? {
        guard let bytes = date.map({ Array($0.utf8) }), bytes.count == 16,
            let lifetime = lifetime.flatMap({ Int64($0) }), (0..<10_000_000_000).contains(lifetime)
        else { return nil }
        func part(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        let text = "\(part(0..<4))-\(part(4..<6))-\(part(6..<11)):\(part(11..<13)):\(part(13..<16))"
        return HTTPDate.internetSeconds(text).map { $0 + lifetime }
    }

    /// Returns the end that a custom policy of CloudFront states. It is JSON in base64, with `-`, `_` and `~`
    /// instead of `+`, `=` and `/`.
    private static func policyEnd(_ text: String) -> Int64? {
        let standard: [Character: Character] = ["-": "+", "_": "=", "~": "/"]
        guard let bytes = Data(base64Encoded: String(text.map { standard[$0] ?? $0 })) else { return nil }
        let policy = String(decoding: bytes, as: UTF8.self)
        guard let condition = policy.firstRange(of: "DateLessThan"),
            let name = policy[condition.upperBound...].firstRange(of: "EpochTime")
        else { return nil }
        let value = policy[name.upperBound...].drop { "\": ".contains($0) }
        return epoch(value.prefix { $0.isASCII && $0.isNumber })
    }

    /// Returns the time of a date, or of a date and a time with or without seconds (RFC 3339).
    private static func date(_ text: String) -> Int64? {
        switch text.utf8.count {
        case 10: HTTPDate.internetSeconds("\(text)T00:00:00Z")
        case 17: HTTPDate.internetSeconds("\(text.dropLast()):00Z")
        default: HTTPDate.internetSeconds(text)
        }
    }

    /// Returns seconds since 1970; `nil` for another number, such as a lifetime.
    private static func epoch(_ text: (some StringProtocol)?) -> Int64? {
        guard let text, let number = Int64(text), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return switch text.utf8.count {
        case 10: number
        case 13: number / 1000
        default: nil
        }
    }
}

extension ResponseVerdict {
    /// Returns the verdict, corrected if it is a refusal because a signed URL has expired.
    ///
    /// The server's clock decides, if its response states the time. A URL that expires later by that clock
    /// has not expired, unless the response says so.
    ///
    /// - Parameters:
    ///   - url: The requested URL, which nothing renews.
    ///   - reason: The reason in the body (`RefusalReason`).
    ///   - now: Seconds since 1970, for a head without a Date.
    func correctedForExpiry(
        of url: String, _ head: ResponseHead, reason: String?, now: Int64
    ) -> ResponseVerdict {
        switch self {
        // Other credentials may be the remedy.
        case .gone(401, _) where head["www-authenticate"] != nil: return self
        case .gone(401, _), .gone(403, _), .gone(410, _), .refused(400): break
        case .signatureRefused(let refusal) where [400, 403].contains(refusal.status): break
        default: return self
        }
        let time = URLExpiry.seconds(in: url)
        if let time, time <= head["date"].flatMap(HTTPDate.seconds) ?? now {
            return .expired(status: head.status, at: time)
        }
        return URLExpiry.isStated(by: reason, about: url) ? .expired(status: head.status, at: nil) : self
    }
}
