/// A store's refusal of a signed request, with details from its head and the reason in its body.
package struct SignatureRefusal: Equatable, Sendable {
    /// The maximum age of signatures that stores accept.
    private static let maximumOffsetSeconds: Int64 = 15 * 60

    package let status: Int
    /// The region that the request was signed for.
    package let region: String
    /// The region of the bucket, if the store states another one.
    package let bucketRegion: String?
    /// The seconds by which this machine's clock is ahead of the store's, if the difference is too large.
    package let clockOffset: Int64?
    /// The reason in the body (`RefusalReason`).
    package var reason: String?
    /// The head of the response.
    package var answer: ResponseInfo?

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

    /// A sentence with the failure and a remedy.
    package var text: String {
        let said = reason.map { ", and says '\($0)'" } ?? ""
        let answer = "the server answered \(status) to the signed request\(said): "
        // The store's code is certain, and the date in its head may be that of a proxy.
        if clockOffset == nil, reason?.contains("RequestTimeTooSkewed") ?? false {
            return answer + "this machine's clock differs too much from the server's; set it."
        }
        if reason?.contains("ExpiredToken") ?? false {
            return answer + "the session token has expired; use a new one."
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
