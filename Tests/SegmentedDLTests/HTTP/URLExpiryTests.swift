import Testing

@testable import SegmentedDL

@Suite("The expiration of a signed URL")
struct URLExpiryTests {
    /// 2001-09-09 01:46:40 UTC
    private static let time: Int64 = 1_000_000_000

    @Test(
        "is stated by its query",
        arguments: [
            "X-Amz-Date=20010909T013640Z&X-Amz-Expires=600&X-Amz-Signature=S",
            "x-amz-expires=0600&x-amz-date=20010909T013640Z",
            "X-Goog-Date=20010908T014640Z&X-Goog-Expires=86400",
            "x-oss-date=20010909T014639Z&x-oss-expires=1",
            "Expires=1000000000&Signature=S&Key-Pair-Id=K", "md5=M&expires=1000000000",
            "exp=1000000000000&h=0123456789abcdef",
            "se=2001-09-09T01:46:40Z&sig=S", "sig=S&se=2001-09-09T01%3A46%3A40Z",
            "se=2001-09-09T03%3A46%3A40%2B02%3A00&sig=S", "q-sign-time=999999000;1000000000",
            "q-sign-time=999999000%3B1000000000", "hdnts=exp=1000000000~acl=/*~hmac=0",
            "__token__=st=999999000%7Eexp=1000000000%7Ehmac=0", "Expires=2000000000&exp=1000000000&sign=S",
        ])
    func stated(query: String) {
        #expect(URLExpiry.seconds(in: "https://h/f?\(query)") == Self.time)
    }

    @Test("is stated by a custom policy")
    func policy() {
        let policy =
            "eyJTdGF0ZW1lbnQiOlt7IlJlc291cmNlIjoiaHR0cHM6Ly9oLyoiLCJDb25kaXRpb24iOnsiRGF0ZUdyZWF0ZXJUaGFuIjp7Ik"
            + "FXUzpFcG9jaFRpbWUiOjk5OTk5OTAwMH0sIkRhdGVMZXNzVGhhbiI6eyJBV1M6RXBvY2hUaW1lIjoxMDAwMDAwMDAwfX19XX0_"
        #expect(URLExpiry.seconds(in: "https://h/f?Policy=\(policy)&Signature=S&Key-Pair-Id=K") == Self.time)
        #expect(URLExpiry.seconds(in: "https://h/f?Policy=\(policy.dropFirst(4))&Signature=S") == Self.time)
        #expect(URLExpiry.seconds(in: "https://h/f?Policy=\(policy.dropFirst(3))&Signature=S") == nil)
        #expect(URLExpiry.seconds(in: "https://h/f?Policy=e30_&Signature=S") == nil)
    }

    @Test(
        "is stated without seconds or a time of day",
        arguments: [("2001-09-09T01:46Z", -40), ("2001-09-09", -6400)])
    func shortened(date: String, offset: Int64) {
        #expect(URLExpiry.seconds(in: "https://h/f?se=\(date)&sig=S") == Self.time + offset)
    }

    @Test(
        "is not stated by other queries",
        arguments: [
            "", "?", "?expires=3600", "?expires=never", "?Expires=10000000000000000", "?Expires=+100000000",
            "?X-Amz-Date=20010909T013640Z", "?X-Amz-Expires=600", "?X-Amz-Date=20010909&X-Amz-Expires=600",
            "?X-Amz-Date=2001ä909T01364Z&X-Amz-Expires=600", "?X-Amz-Date=20010909T013640Z&X-Amz-Expires=-1",
            "?X-Amz-Date=20010909T013640Z&X-Amz-Expires=99999999999999", "?se=2001-09-09T01:46:40Z",
            "?sig=S&se=9", "?sig=S&se=", "?q-sign-time=1000000000", "?token=exp=soon~hmac=0", "?exp",
            "?exp=1000000000", "?Expires=2000000000&exp=1000000000", "?id=7&expires=1000000000",
        ])
    func absent(query: String) {
        #expect(URLExpiry.seconds(in: "https://h/f\(query)") == nil)
    }

    private func verdict(
        _ verdict: ResponseVerdict, _ query: String = "?Expires=1000000000&Signature=S",
        fields: [String: String] = [:], reason: String? = nil, status: Int = 403, now: Int64 = Self.time
    ) -> ResponseVerdict {
        let head = ResponseHead(status: status, fields: fields.map { HTTPHeader($0.key, $0.value) })
        return verdict.correctedForExpiry(of: "https://h/f\(query)", head, reason: reason, now: now)
    }

    @Test(
        "explains a refusal after that time",
        arguments: [
            (.refused(status: 400), 400), (.gone(status: 401), 401), (.gone(status: 403), 403),
            (.gone(status: 410), 410),
        ]
            as [(ResponseVerdict, Int)])
    func refusals(refusal: ResponseVerdict, status: Int) {
        #expect(verdict(refusal, status: status) == .expired(status: status, at: Self.time))
        #expect(verdict(refusal, status: status, now: Self.time - 1) == refusal)
        #expect(verdict(refusal, "?Signature=S", status: status) == refusal)
    }

    @Test(
        "explains no other response",
        arguments: [
            .gone(status: 404), .refused(status: 405), .busy(status: 403, retryAfter: nil),
            .failing(status: 500), .unsatisfiable(total: nil), .whole(length: 5),
        ] as [ResponseVerdict])
    func others(other: ResponseVerdict) {
        #expect(verdict(other) == other)
    }

    @Test("does not explain a server's request for credentials")
    func challenged() {
        let refusal = ResponseVerdict.gone(status: 401)
        #expect(verdict(refusal, fields: ["WWW-Authenticate": "Basic"], status: 401) == refusal)
    }

    @Test("is compared with the server's clock, if the response states it")
    func clocks() {
        let refusal = ResponseVerdict.gone(status: 403)
        let (before, after) = ("Sun, 09 Sep 2001 01:46:39 GMT", "Sun, 09 Sep 2001 01:46:41 GMT")
        #expect(verdict(refusal, fields: ["Date": before], now: Self.time + 60) == refusal)
        #expect(
            verdict(refusal, fields: ["Date": after], now: Self.time - 60)
                == .expired(status: 403, at: Self.time))
        #expect(
            verdict(refusal, fields: ["Date": "soon"], now: Self.time + 60)
                == .expired(status: 403, at: Self.time))
    }

    @Test(
        "is stated by the response, whatever the clocks say",
        arguments: [
            ("AccessDenied: Request has expired", true), ("ExpiredToken: The provided token …", true),
            ("This link has expired.", true), ("AccessDenied: Access Denied", false), (nil, false),
        ] as [(String?, Bool)])
    func reasons(reason: String?, isStated: Bool) {
        let refusal = ResponseVerdict.gone(status: 403)
        let expired = ResponseVerdict.expired(status: 403, at: nil)
        #expect(verdict(refusal, reason: reason, now: Self.time - 1) == (isStated ? expired : refusal))
        #expect(verdict(refusal, "?X-Amz-Signature=S", reason: reason) == (isStated ? expired : refusal))
        // Without a signature it may be the user's account that has expired.
        #expect(verdict(refusal, "?id=3", reason: reason) == refusal)
    }

    @Test("of a target that a redirect has led to makes the original URL be requested again")
    func renewal() {
        #expect(ResponseVerdict.expired(status: 403, at: 0).mayMeanExpiry(of: .none))
    }

    @Test("causes no request for a shorter range")
    func ranges() {
        #expect(RangeRefusal.shorter(than: 1 << 30, after: .expired(status: 403, at: 0), total: nil) == nil)
    }
}
