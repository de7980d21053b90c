import SystemPackage
import Testing

@testable import SegmentedDL

@Suite("S3 from the environment")
struct S3SettingsTests {
    private let keys = ["AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "hidden"]

    private func settings(_ more: [String: String] = [:], isSigned: Bool = true) throws -> S3Settings {
        try S3Settings(environment: keys.merging(more) { $1 }, isSigned: isSigned)
    }

    @Test("signs if a key is set, in the region that is set")
    func signed() throws {
        #expect(try S3Settings(environment: [:]) == S3Settings())
        #expect(try settings(isSigned: false).credentials == nil)
        let usual = try #require(try settings().credentials)
        #expect(usual.user == "id" && usual.password == "hidden")
        #expect(usual.signature?.option == "aws:amz:us-east-1:s3" && usual.signature?.sessionToken == nil)
        let more = try settings([
            "AWS_DEFAULT_REGION": "eu-west-1", "AWS_REGION": "", "AWS_SESSION_TOKEN": "t",
        ])
        #expect(more.region == "eu-west-1" && more.credentials?.signature?.option == "aws:amz:eu-west-1:s3")
        #expect(more.credentials?.signature?.sessionToken == "t")
        #expect(try settings(["AWS_REGION": "x", "AWS_DEFAULT_REGION": "y"]).region == "x")
        let both = try settings(["AWS_ENDPOINT_URL": "http://a/", "AWS_ENDPOINT_URL_S3": "http://b:9/"])
        #expect(both.endpoint?.url == "http://b:9/")
    }

    @Test(
        "names the invalid variable, and no secret",
        arguments: [
            (["AWS_SECRET_ACCESS_KEY": ""], "AWS_SECRET_ACCESS_KEY"),
            (["AWS_ACCESS_KEY_ID": ""], "AWS_ACCESS_KEY_ID"),
            (["AWS_REGION": "a:b"], "AWS_REGION"), (["AWS_REGION": "evil.host/"], "AWS_REGION"),
            (["AWS_ENDPOINT_URL": "http://u:p@h/"], "AWS_ENDPOINT_URL"),
            (["AWS_ENDPOINT_URL": "ftp://h/"], "ftp"),
            (["AWS_SECRET_ACCESS_KEY": "hidden\n"], "secret"), (["AWS_SESSION_TOKEN": "a b"], "token"),
        ])
    func wrong(variables: [String: String], named: String) throws {
        let error = try #require(throws: DownloadError.self) { try settings(variables) }
        #expect(error.message.contains(named) && !error.message.contains("hidden"))
    }

    @Test("a key is hidden when its container is printed or dumped")
    func secret() throws {
        var request = try DownloadRequest("http://h/", to: .directory("."))
        request.credentials = try settings(["AWS_SESSION_TOKEN": "hidden too"].filter { _ in false })
            .credentials
        var text = "\(request) \(String(reflecting: request))"
        dump(request, to: &text)
        #expect(!text.contains("hidden"))
    }

    // MARK: Locations

    @Test(
        "s3:// is a URL of the store",
        arguments: [
            ("s3://my-bucket/a b/ü+%.txt", "https://my-bucket.s3.amazonaws.com/a%20b/%C3%BC%2B%25.txt", nil),
            ("S3://my-bucket/k", "https://my-bucket.s3.eu-west-1.amazonaws.com/k", "eu-west-1"),
            ("s3://my.bucket/k?a#b", "https://s3.eu-west-1.amazonaws.com/my.bucket/k%3Fa%23b", "eu-west-1"),
            ("s3://my-bucket/k", "https://my-bucket.s3.cn-north-1.amazonaws.com.cn/k", "cn-north-1"),
        ])
    func aws(text: String, url: String, region: String?) throws {
        var settings = S3Settings()
        settings.region = region
        #expect(try S3Location(text).object(in: settings).url == url)
    }

    @Test(
        "below an endpoint buckets are directories",
        arguments: ["http://h:9000", "http://h:9000/", "http://h:9000/s3"])
    func endpoint(text: String) throws {
        var settings = S3Settings()
        settings.endpoint = try Source(text)
        let base = text.hasSuffix("/") ? text : text + "/"
        #expect(try S3Location("s3://b/a//b").object(in: settings).url == base + "b/a//b")
        #expect(try S3Location("s3://b").bucketURL(in: settings).url == base + "b/")
    }

    @Test(
        "a location without an object is refused",
        arguments: ["s3://b", "s3://b/", "s3://b/a/", "s3://b/a/../c", "s3://b/./c"])
    func noObject(text: String) throws {
        let location = try S3Location(text)
        #expect(throws: DownloadError.self) { try location.object(in: S3Settings()) }
    }

    @Test(
        "what names no bucket is refused",
        arguments: [
            "s3://", "s3:///k", "s3://u@/k", "s3://@h/k", "s3://u:p@h/k", "s3://a:9/k", "s3://../k",
            "s3://b?/k", "http://b/k",
        ])
    func noBucket(text: String) {
        #expect(throws: DownloadError.self) { try S3Location(text) }
    }

    // MARK: Refusals

    @Test("explains a store's refusal")
    func refusal() throws {
        func text(_ status: Int, _ fields: [HTTPHeader] = []) -> String? {
            SignatureRefusal(ResponseHead(status: status, fields: fields), region: "r1", now: 784_111_777)?
                .text
        }
        let date = HTTPHeader("Date", "Sun, 06 Nov 1994 08:49:37 GMT")
        let late = HTTPHeader("Date", "Sun, 06 Nov 1994 10:49:37 GMT")
        #expect(text(403, [date])?.contains("check the access key") == true)
        #expect(text(403, [late])?.contains("120 minutes behind") == true)
        #expect(
            text(400, [HTTPHeader("x-amz-bucket-region", "r2")])?.contains("the bucket is in 'r2'") == true)
        #expect(text(400, [HTTPHeader("x-amz-bucket-region", "\u{1b}[2J")])?.contains("check") == true)
        #expect(text(301)?.contains("r1") == true)
        #expect(text(301, [HTTPHeader("Location", "/")]) == nil)
        #expect(text(404) == nil && text(200) == nil)
    }

    @Test(
        "explains a store's code for a refusal",
        arguments: [
            ("RequestTimeTooSkewed: The difference is too large.", "clock differs too much"),
            ("InvalidObjectState: The operation is not valid.", "archived; restore it first"),
            ("ExpiredToken: The provided token …", "the session token has expired; use a new one"),
            ("TokenRefreshRequired: It must be refreshed.", "the session token has expired; use a new one"),
            ("InvalidToken: The provided token …", "the session token is not valid; use a new one"),
            ("AccessDenied: Access Denied", "check the access key"),
        ])
    func codes(reason: String, words: String) throws {
        let head = ResponseHead(status: 403, fields: [])
        var refusal = try #require(SignatureRefusal(head, region: "r1", now: 784_111_777))
        refusal.reason = reason
        #expect(refusal.text.contains(words), "\(refusal.text)")
    }

    @Test(
        "tells a store's refusal of the access key itself from all others",
        arguments: [
            ("ExpiredToken: The provided token has expired.", true), ("ExpiredTokenException", true),
            ("TokenRefreshRequired: The provided token must be refreshed.", true),
            ("InvalidToken: The provided token is malformed.", true),
            ("InvalidTokenId: No such token.", true),
            ("InvalidAccessKeyId: No such key.", true), ("AccessDenied: Access Denied", false),
            ("SignatureDoesNotMatch: The signature differs.", false), (nil, false),
            ("RequestTimeTooSkewed: The difference is too large.", false),
            ("InvalidTokenization: Another code.", false),
        ] as [(String?, Bool)])
    func keyRefusals(reason: String?, refusesKey: Bool) throws {
        var refusal = try #require(
            SignatureRefusal(ResponseHead(status: 400), region: "r1", now: 784_111_777))
        refusal.reason = reason
        #expect(refusal.refusesKey == refusesKey)
    }
}
