/// A store's refusal of a signed request, with details from its head and the reason in its body.
package struct SignatureRefusal: Equatable, Sendable {
    /// The maximum age of signatures that stores accept.
    private static let maximumOffsetSeconds: Int64 = 15 * 60

    package let status: Int
    /// The region that the request was signed for.
    package let region: String
    /// The region of the bucket, if the store states a different one.
    package let bucketRegion: String?
    /// The number of seconds by which this machine's clock is ahead of the store's, if the difference is too
    /// large.
    package let clockOffset: Int64?
    /// The reason in the body (`RefusalReason`).
    package var reason: String?
    /// The head of the response.
    package var answer: ResponseInfo?
    /// True if the access key comes from a source, which was asked for another one if this one was refused.
    var hasKeySource = false

    /// - Parameters:
    ///   - region: The region that the request was signed for.
    ///   - now: Seconds since 1970.
    init?(_ head: ResponseHead, region: String, now: Int64) {
        switch head.status {
        case 400, 403: break
        // The bucket is in another region, and the response has no Location field.
        case 301 where head["location"] == nil: break
        default: return nil
        }
        status = head.status
        self.region = region
        bucketRegion = head["x-amz-bucket-region"].flatMap {
            AWSSignature.isName($0) && $0 != region && $0.utf8.count <= 64 ? $0 : nil
        }
        let offset = head["date"].flatMap(HTTPDate.seconds).map { now - $0 }
        clockOffset = offset.flatMap { $0.magnitude > Self.maximumOffsetSeconds ? $0 : nil }
    }

    /// The codes for a session token that has expired, of stores and of other services behind their names.
    private static let expiredToken: Set<Substring> = [
        "ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired",
    ]
    /// The codes for a session token that the store does not know.
    private static let unknownToken: Set<Substring> = [
        "InvalidToken", "InvalidTokenId", "InvalidClientTokenId",
    ]
    /// The code for an access key that the store does not know: some stores remove expired ones.
    private static let unknownKey = Substring("InvalidAccessKeyId")

    private var words: [Substring] { reason?.split { !$0.isLetter } ?? [] }

    private var tokenFault: String? {
        let words = Set(words)
        if !words.isDisjoint(with: Self.expiredToken) { return "has expired" }
        return words.isDisjoint(with: Self.unknownToken) ? nil : "is not valid"
    }

    /// True if the store refuses the access key or its token, and not what they may do, so that another one
    /// may be accepted.
    var refusesKey: Bool { tokenFault != nil || words.contains(Self.unknownKey) }

    /// A sentence with the failure and a remedy.
    package var text: String {
        let said = reason.map { ", and says '\($0)'" } ?? ""
        let answer = "the server answered \(status) to the signed request\(said): "
        // The store's code is reliable, whereas the date in its head may be a proxy's.
        if clockOffset == nil, reason?.contains("RequestTimeTooSkewed") ?? false {
            return answer + "this machine's clock differs too much from the server's; set it."
        }
        if let tokenFault {
            let remedy =
                hasKeySource
                ? ", and the source of the access key supplies no other one; log in again, or check that source."
                : "; use a new one, with the access key and the secret that belong to it."
            return answer + "the session token \(tokenFault)\(remedy)"
        }
        if reason?.contains("InvalidObjectState") ?? false {
            return answer + "the object is archived; restore it first."
        }
        if let clockOffset {
            let minutes = clockOffset.magnitude / 60
            return answer
                + "this machine's clock is \(minutes) minutes \(clockOffset > 0 ? "ahead of" : "behind") the server's; set it."
        }
        if let bucketRegion {
            return answer
                + "it was signed for the region '\(region)', but the bucket is in '\(bucketRegion)'; use that region."
        }
        return answer
            + "check the access key and its secret (and the session token, if it has one), the region '\(region)', and whether the key has read access."
    }
}

extension ResponseVerdict {
    /// Returns the verdict, with the facts about its request if a store has refused its signature.
    ///
    /// - Parameter reason: The reason in the body (`RefusalReason`).
    func signed(by credentials: Credentials?, reason: String?) -> ResponseVerdict {
        guard case .signatureRefused(var refusal) = self else { return self }
        refusal.reason = reason
        refusal.hasKeySource = credentials?.hasKeySource ?? false
        return .signatureRefused(refusal)
    }
}
