import TestContent
import TestSupport

@testable import SegmentedDL
@testable import SegmentedDLTesting

/// A server with a file whose digest is searched for, and the directory for its downloads.
struct ProofFixture {
    let content = TestContent(seed: 3).bytes(0..<300_000)
    let directory: TemporaryDirectory
    let server = FaultServer()
    var configuration = Configuration()
    /// The URL of the file's directory.
    let place: String
    var url: String { place + "a.iso" }

    init(place: String) throws {
        directory = try TemporaryDirectory()
        self.place = place
        configuration.durability = .process
        configuration.minimumSegmentSize = 64 * 1024
        server.set(FaultServer.File(content), at: url)
    }

    /// The digest of the file.
    var digest: String { Digest.sha256(content) }

    /// The requests besides those for the file.
    var documents: [String] { server.requests.map(\.url).filter { $0 != url } }

    /// Puts a document at a URL, or with a name into the file's directory.
    func put(_ text: String, at name: String) {
        server.set(FaultServer.File(Array(text.utf8)), at: name.contains("://") ? name : place + name)
    }

    /// - Parameter other: The URL of another file.
    func download(
        _ policy: ProofPolicy = .require(.digest), _ other: String? = nil, _ downloader: Downloader? = nil
    ) async throws -> DownloadResult {
        var request = try DownloadRequest(other ?? url, to: .directory(directory.filePath("")))
        request.proofPolicy = policy
        request.ifExists = .rename
        return try await (downloader ?? server.downloader(configuration)).download(request)
    }
}
