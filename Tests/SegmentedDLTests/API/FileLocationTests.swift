import Foundation
import SystemPackage
import Testing

@testable import SegmentedDL

@Suite("Locations of files in hubs and stores")
struct FileLocationTests {
    private static let texts = [
        "hf://org/model/a/b c.bin", "hf://org/model@v1/x", "hf://datasets/org/d@refs%2Fpr%2F1/x",
        "s3://bucket/a/b c", "s3://bucket/a%20b?c#d", "s3://work@bucket/key", "s3://me@home@bucket/key",
    ]

    @Test("are sources that keep their text, and are encoded and decoded", arguments: texts)
    func sources(text: String) throws {
        let source = try Source(named: text)
        #expect(source.url == text && source.description == text)
        #expect(source.location?.text == text)
        #expect(source.withoutCredentials == source && !source.hasCredentials)
        let coded = try JSONDecoder().decode([Source].self, from: JSONEncoder().encode([source]))
        #expect(coded == [source])
    }

    @Test("give a file the last component of their path as name")
    func names() throws {
        #expect(try Source(named: "hf://org/model/a/b c.bin").fileName == "b c.bin")
        #expect(try Source(named: "s3://bucket/a%20b").fileName == "a%20b")
        #expect(try Source(named: "S3://bucket/key").url == "s3://bucket/key")
    }

    @Test("are no URLs, and URLs are no locations")
    func urls() throws {
        for text in Self.texts { #expect(throws: DownloadError.self) { try Source(text) } }
        let source = try Source(named: "http://host/a?b=c")
        #expect(source.location == nil && source.url == "http://host/a?b=c")
    }

    @Test(
        "name one file",
        arguments: [
            "hf://org/model", "hf://org/model/", "s3://bucket", "s3://bucket/dir/", "oci://host/name:tag",
            "s3://@bucket/key", "hf://me:x@org/model/x", "hf://hf_x@org/model/x",
        ])
    func refused(text: String) {
        let error = #expect(throws: DownloadError.self) { try Source(named: text) }
        #expect(error?.code == .invalidURL)
    }

    @Test("have no place for a key, which no message shows")
    func keys() {
        for text in ["s3://AKID:geheim@bucket/key", "s3://:geheim@bucket/key"] {
            let error = #expect(throws: DownloadError.self) { try Source(named: text) }
            #expect(error?.message.contains("geheim") == false)
            #expect(error?.message.contains("s3://PROFILE@BUCKET/KEY") == true)
        }
    }

    @Test("are shown without control characters")
    func controls() throws {
        let source = try Source(named: "s3://bucket/a\u{1b}[2Jb")
        #expect(!source.description.unicodeScalars.contains("\u{1b}"))
    }

    @Test("are resolved with keys that the request's own take precedence of")
    func resolved() throws {
        var request = DownloadRequest(try Source(named: "hf://org/model/x"), to: .directory("there"))
        let url = try Source("http://hub/org/model/resolve/main/x")
        let found = ResolvedSource(
            url, headers: [HTTPHeader("Authorization", "Bearer t")],
            credentials: Credentials(user: "u", password: "p"))
        request.resolve(to: found)
        #expect(request.source == url && request.headers == found.headers)
        #expect(request.credentials?.user == "u")
        var own = DownloadRequest(try Source(named: "hf://org/model/x"), to: .directory("there"))
        own.headers = [HTTPHeader("authorization", "Basic x")]
        own.credentials = Credentials(user: "me", password: "p")
        own.resolve(to: found)
        #expect(own.headers.map(\.value) == ["Basic x"] && own.credentials?.user == "me")
    }

    @Test("are resolved with the advice for an exhausted quota, unless the request has its own token")
    func quotaAdvice() throws {
        let url = try Source("http://hub/org/model/resolve/main/x")
        let found = ResolvedSource(url, quotaAdvice: "set HF_TOKEN")
        var request = DownloadRequest(try Source(named: "hf://org/model/x"), to: .directory("there"))
        var own = request
        request.resolve(to: found)
        #expect(request.mirrorAccess.quotaAdvice == "set HF_TOKEN")
        #expect(HostAccess(to: url, by: request.mirrorAccess).quotaAdvice == "set HF_TOKEN")
        own.headers = [HTTPHeader("authorization", "Basic x")]
        own.resolve(to: found)
        #expect(own.mirrorAccess == MirrorAccess())
    }

    @Test("in a store that refuses a request without a signature name the keys as a remedy")
    func unsigned() throws {
        let location = try S3Location("s3://bucket/key")
        let error = DownloadError(.httpStatus, "x", status: 403).remedied(by: .userAgent)
        let explained = location.explained(error)
        #expect(explained.message.hasPrefix("s3://bucket/key: "))
        #expect(explained.message.contains("AWS_ACCESS_KEY_ID") && explained.remedy == nil)
        let head = ResponseHead(status: 403)
        let refusal = try #require(SignatureRefusal(head, region: "eu-west-1", now: 0))
        let signed = DownloadError(
            .httpStatus, "x", status: 403, cause: TransferFailure.signatureRefused(refusal))
        for other in [signed, DownloadError(.httpStatus, "x", status: 404), DownloadError(.timedOut, "x")] {
            #expect(location.explained(other).message == other.message)
        }
    }
}
