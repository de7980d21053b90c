import Testing

@testable import SegmentedDL

@Suite("Signed URLs")
struct SignedURLTests {
    @Test(
        "are written in canonical form",
        arguments: [
            ("http://h", "http://h/"),
            ("http://h:9/b/a+b%7e%c3%bc!", "http://h:9/b/a%2Bb~%C3%BC%21"),
            ("http://h/a%20b/c%2Fd//e%25", "http://h/a%20b/c/d//e%25"),
            ("http://h/b/?prefix=a/b+c&list-type=2", "http://h/b/?list-type=2&prefix=a%2Fb%20c"),
            ("http://h/b?z&a=2&a=10&A=x=y&", "http://h/b?A=x%3Dy&a=10&a=2&z="),
            ("http://h/b?a-b=1&a=2", "http://h/b?a=2&a-b=1"),
            ("http://h/%ff%2e", "http://h/%FF."),
        ])
    func canonical(url: String, expected: String) {
        #expect(SignedURL.canonical(url) == expected)
        #expect(SignedURL.canonical(expected) == expected)
    }

    @Test("that already have a signature are left unchanged")
    func presigned() throws {
        let key = try Credentials.awsSigV4(accessKeyID: "a", secretAccessKey: "b")
        for query in [
            "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=0a",
            "AWSAccessKeyId=a&Expires=1&Signature=x%2B",
        ] {
            var request = TransferRequest(url: "http://h/b/k+?" + query, range: .none)
            request.authenticate(key)
            #expect(request.credentials == nil && request.url == "http://h/b/k+?" + query)
        }
        var request = TransferRequest(url: "http://h/k+?Signature=x", range: .none)
        request.authenticate(key)
        #expect(request.credentials == key && request.url == "http://h/k%2B?Signature=x")
        request.authenticate(Credentials(user: "u", password: "p"))
        #expect(request.credentials?.signature == nil)
    }

    @Test("contain the user if only the user is known, because libcurl then searches for the password")
    func userWithoutPassword() throws {
        for (user, password, url) in [
            ("b@c", "", "http://b%40c@h:9/k?q=a@b"), ("b", "p", "http://h:9/k?q=a@b"),
            ("", "p", "http://h:9/k?q=a@b"), ("a\n", "", "http://h:9/k?q=a@b"),
        ] {
            var request = TransferRequest(url: "http://h:9/k?q=a@b", range: .none)
            request.authenticate(Credentials(user: user, password: password))
            #expect(request.urlWithUser == url)
        }
        #expect(TransferRequest(url: "http://h/", range: .none).urlWithUser == "http://h/")
    }

    @Test(
        "request checksums only at Amazon's hosts, because other stores refuse that field",
        arguments: [
            ("https://b.s3.eu-west-1.amazonaws.com/k", true), ("https://s3.amazonaws.com:443/b/k", true),
            ("https://b.s3.cn-north-1.amazonaws.com.cn/k", true), ("https://S3.AmazonAWS.com/b/k", true),
            ("https://s3.eu-central-003.backblazeb2.com/b/k", false),
            ("https://host/amazonaws.com", false), ("https://amazonaws.com.evil.example/k", false),
            ("https://evilamazonaws.com/k", false), ("http://host?x=.amazonaws.com", false),
        ])
    func checksumMode(url: String, asks: Bool) throws {
        var request = TransferRequest(url: url, range: .none)
        let field = HTTPHeader("x-amz-checksum-mode", "ENABLED")
        #expect(!request.sentHeaders.contains(field))
        request.authenticate(try Credentials.awsSigV4(accessKeyID: "a", secretAccessKey: "b"))
        #expect(request.sentHeaders.contains(field) == asks)
    }

    @Test("state the digest of the body, include the token, and do not sign what proxies change")
    func headers() throws {
        var request = TransferRequest(url: "http://h/", range: .none)
        request.headers = [HTTPHeader("Accept-Encoding", "identity"), HTTPHeader("X-Mine", "1")]
        #expect(request.sentHeaders == request.headers)
        request.authenticate(
            try Credentials.awsSigV4(accessKeyID: "a", secretAccessKey: "b", sessionToken: "t"))
        let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        #expect(Digest.sha256([]) == nothing)
        let digest = HTTPHeader("x-amz-content-sha256", nothing)
        #expect(
            request.sentHeaders
                == [HTTPHeader("X-Mine", "1"), digest, HTTPHeader("x-amz-security-token", "t")])
        // A field set by the caller is sent only once.
        let own = HTTPHeader("X-Amz-Content-SHA256", "UNSIGNED-PAYLOAD")
        request.headers = [own]
        #expect(request.sentHeaders == [own, HTTPHeader("x-amz-security-token", "t")])
    }
}
