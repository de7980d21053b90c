import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLTesting

@Suite("The search for the digest of a GitHub release's file", .timeLimit(.minutes(10)))
struct ReleaseSearchTests {
    private static let place = "https://github.com/o/r/releases/download/v1/"
    private static let api = "https://api.github.com/repos/o/r/releases/tags/v1"

    private let fixture: ProofFixture
    private var directory: TemporaryDirectory { fixture.directory }
    private var server: FaultServer { fixture.server }
    private var configuration: Configuration { fixture.configuration }
    private var content: [UInt8] { fixture.content }
    private var digest: String { fixture.digest }
    private var documents: [String] { fixture.documents }

    init() throws {
        fixture = try ProofFixture(place: Self.place)
    }

    @Test("reads GitHub's assets, on another host than the file's")
    func release() async throws {
        let store = "https://objects.example/x?signature=1"
        server.set(FaultServer.File(content), at: store)
        fixture.put(#"{"assets":[{"name":"a.iso","digest":"sha256:\#(digest)"}]}"#, at: Self.api)
        let proofs = try await fixture.download(.require(.otherHost)).proofs
        #expect(proofs.first?.document?.isOfOtherHost == true)
        let asked = try #require(server.requests.first { $0.url.hasPrefix("https://api.github.com/") })
        #expect(asked.headers.contains(HTTPHeader("Accept", "application/vnd.github+json")))
        #expect(!server.requests.contains { $0.headers.contains { $0.name == "Authorization" } })
    }

    @Test("sends a token for GitHub's API only to the API for which it is", arguments: [true, false])
    func releaseToken(isForGitHub: Bool) async throws {
        fixture.put(#"{"assets":[{"name":"a.iso","digest":"sha256:\#(digest)"}]}"#, at: Self.api)
        var access = MirrorAccess(
            for: try Source(isForGitHub ? "https://api.github.com" : "https://github.example/api/v3"))
        access.headers = [HTTPHeader("Authorization", "Bearer t0ken")]
        var configuration = configuration
        configuration.releaseAccess = { [access] in access }
        _ = try await fixture.download(.require(.digest), nil, server.downloader(configuration))
        let told = server.requests.filter { $0.headers.contains { $0.value.contains("t0ken") } }
        #expect(told.map(\.url) == (isForGitHub ? [Self.api] : []))
    }

    @Test("names the time at which an exhausted quota ends")
    func quota() async throws {
        server.add(.status(429, retryAfter: .seconds(3000)), to: Self.api, times: 99)
        let error = await #expect(throws: DownloadError.self) { try await fixture.download() }
        #expect(error?.message.contains("try again in 3000 s") ?? false, "\(error?.message ?? "")")
        #expect(documents.count == 2)
    }

    @Test("reads a list among the assets of a release without digests")
    func assets() async throws {
        fixture.put("\(digest)  a.iso\n", at: Self.place + "SHA256SUMS")
        fixture.put(
            #"{"assets":[{"name":"a.iso","digest":null},{"name":"SHA256SUMS","digest":null}]}"#,
            at: Self.api)
        let proofs = try await fixture.download().proofs
        #expect(proofs.first?.document?.url == Self.place + "SHA256SUMS")
        #expect(documents == [Self.api, Self.place + "SHA256SUMS"])
    }

    @Test("sends the caller's credentials only to the file's own host")
    func credentials() async throws {
        var request = try DownloadRequest(fixture.url, to: .file(directory.filePath("mine")))
        request.headers = [HTTPHeader("X-Secret", "s3cret")]
        request.proofPolicy = .require(.digest)
        await #expect(throws: DownloadError.self) {
            try await server.downloader(configuration).download(request)
        }
        let asked = server.requests.filter { $0.url.hasPrefix("https://api.github.com/") }
        #expect(asked.count == 1 && !asked[0].headers.contains { $0.name == "X-Secret" })
    }
}
