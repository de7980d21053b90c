import TestContent
import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLTesting

@Suite("The search for a digest in a truncated listing", .timeLimit(.minutes(10)))
struct CutListingTests {
    private static let place = "https://host/pub/x/"

    private let content = TestContent(seed: 3).bytes(0..<300_000)
    private let directory: TemporaryDirectory
    private let server = FaultServer()

    init() throws {
        directory = try TemporaryDirectory()
        server.set(FaultServer.File(content), at: Self.place + "a.iso")
    }

    /// Puts a listing without its end at the directory.
    private func list(_ links: String) {
        let page = Array("<html><a href=\"a.iso\">a.iso</a>\n\(links)".utf8)
        server.set(
            FaultServer.File(page, headers: [HTTPHeader("Content-Type", "text/html")]), at: Self.place)
    }

    private func download() async throws -> DownloadResult {
        var configuration = Configuration()
        configuration.durability = .process
        configuration.retry.delay = .milliseconds(1)
        var request = try DownloadRequest(Self.place + "a.iso", to: .directory(directory.filePath("")))
        request.proofPolicy = .require(.digest)
        return try await server.downloader(configuration).download(request)
    }

    private var documents: [String] {
        server.requests.map(\.url).filter { !$0.hasSuffix("/a.iso") }
    }

    @Test("fetches it again before a required digest counts as missing", arguments: ["", "<a href=\"SHA256"])
    func missing(end: String) async throws {
        list(end)
        let error = await #expect(throws: DownloadError.self) { try await download() }
        #expect(error?.code == .unproven)
        #expect(
            error?.message.contains("the listing of \(Self.place) ends in the middle of its page") ?? false,
            "\(error?.message ?? "")")
        #expect(documents.count { $0 == Self.place } == 2)
        #expect(Set(documents) == [Self.place, Self.place + "a.iso.sha256"])
    }

    @Test("requests the file's own document, which the listing may lack")
    func own() async throws {
        list("<a hr")
        server.set(FaultServer.File(Array(Digest.sha256(content).utf8)), at: Self.place + "a.iso.sha256")
        #expect(try await download().proofs.first?.document?.url == Self.place + "a.iso.sha256")
    }

    @Test("uses a list before the end")
    func before() async throws {
        list("<a href=\"SHA256SUMS\">SHA256SUMS</a><a hr")
        let line = "\(Digest.sha256(content))  a.iso\n"
        server.set(FaultServer.File(Array(line.utf8)), at: Self.place + "SHA256SUMS")
        #expect(try await download().proofs.first?.document?.url == Self.place + "SHA256SUMS")
        #expect(documents == [Self.place, Self.place + "SHA256SUMS"])
    }
}
