import SegmentedDLSupport
import TestContent
import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLTesting

@Suite("The search for a digest", .timeLimit(.minutes(10)))
struct ProofSearchTests {
    private static let place = "https://host/pub/x/"
    private static let page = [HTTPHeader("Content-Type", "text/html")]

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

    private static let wrong = String(repeating: "0f", count: 32)

    /// Puts a listing of names at the directory.
    private func list(_ names: [String], at place: String = place) {
        let links = (["../"] + names).map { "<a href=\"\($0)\">\($0)</a>\n" }.joined()
        server.set(FaultServer.File(Array("<html>\(links)</html>".utf8), headers: Self.page), at: place)
    }

    @Test("finds a list in the directory's listing, with two requests")
    func list() async throws {
        list(["a.iso", "SHA256SUMS", "SHA256SUMS.gpg"])
        fixture.put("\(digest)  a.iso\n", at: "SHA256SUMS")
        let result = try await fixture.download()
        let document = DigestProof.Document(url: Self.place + "SHA256SUMS", isOfOtherHost: false)
        #expect(
            result.proofs == [
                DigestProof(try Checksum(.sha256, digest), isRequested: false, document: document)
            ])
        #expect(documents == [Self.place, Self.place + "SHA256SUMS"])
        #expect(try directory.read("a.iso") == content)
    }

    @Test("finds the file's own document if no listing exists")
    func guess() async throws {
        fixture.put(digest, at: "a.iso.sha256")
        #expect(try await fixture.download().proofs.first?.document?.url == Self.place + "a.iso.sha256")
        #expect(documents == [Self.place, Self.place + "a.iso.sha256"])
    }

    @Test("finds the digest of a small file, too")
    func small() async throws {
        server.set(FaultServer.File([1, 2, 3]), at: Self.place + "a.iso")
        fixture.put(Digest.sha256([1, 2, 3]), at: "a.iso.sha256")
        #expect(try await fixture.download().proofs.count == 1)
    }

    @Test("sends two requests for all files of a directory without digests")
    func budget() async throws {
        let downloader = server.downloader(configuration)
        for name in ["a.iso", "b.iso", "c.iso"] {
            server.set(FaultServer.File(content), at: Self.place + name)
            await #expect(throws: DownloadError.self) {
                try await fixture.download(.require(.digest), Self.place + name, downloader)
            }
        }
        #expect(
            server.requests.map(\.url).filter { !$0.hasSuffix(".iso") } == [
                Self.place, Self.place + "a.iso.sha256",
            ])
    }

    @Test("fetches a list once for all files of a directory")
    func shared() async throws {
        let downloader = server.downloader(configuration)
        let names = ["a.iso", "b.iso", "c.iso"]
        list(names + ["SHA256SUMS"])
        fixture.put(names.map { "\(digest)  \($0)\n" }.joined(), at: "SHA256SUMS")
        for name in names { server.set(FaultServer.File(content), at: Self.place + name) }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for name in names {
                group.addTask {
                    try await fixture.download(.require(.digest), Self.place + name, downloader).proofs.count
                }
            }
            for try await count in group { #expect(count == 1) }
        }
        let asked = server.requests.map(\.url).filter { !$0.hasSuffix(".iso") }
        #expect(asked == [Self.place, Self.place + "SHA256SUMS"])
    }

    @Test("fetches a contradicting list again, because it may be older than the file")
    func renewed() async throws {
        let downloader = server.downloader(configuration)
        list(["a.iso", "b.iso", "SHA256SUMS"])
        fixture.put("\(digest)  a.iso\n\(Self.wrong)  b.iso\n", at: "SHA256SUMS")
        _ = try await fixture.download(.require(.digest), Self.place + "a.iso", downloader)
        let new = TestContent(seed: 6).bytes(0..<200_000)
        server.set(FaultServer.File(new), at: Self.place + "b.iso")
        fixture.put("\(Digest.sha256(new))  b.iso\n", at: "SHA256SUMS")
        let result = try await fixture.download(.require(.digest), Self.place + "b.iso", downloader)
        #expect(result.verified.map(\.hexadecimal) == [Digest.sha256(new)])
    }

    @Test("caches documents for ten minutes")
    func expiry() async throws {
        let cache = ProofCache()
        // The age of an empty cache counts, too.
        let now = Monotonic.now() + 1000
        let first = cache.directory("https://h/a/", now: now)
        #expect(cache.directory("https://h/a/", now: now + 599) === first)
        #expect(cache.directory("https://h/b/", now: now + 599) !== first)
        let later = cache.directory("https://h/a/", now: now + 1300)
        #expect(later !== first)
        #expect(cache.directory("https://h/a/", now: now + 1301) === later)
    }

    @Test("sets a file with another digest aside", arguments: ["SHA256SUMS", "a.iso.sha256"])
    func contradicted(name: String) async throws {
        list(["a.iso", name])
        fixture.put("\(Self.wrong)  a.iso\n", at: name)
        let error = await #expect(throws: DownloadError.self) { try await fixture.download() }
        #expect(error?.code == .checksumMismatch && error?.remedy == .ignoredProof)
        #expect(error?.message.contains(Self.place + name) ?? false, "\(error?.message ?? "")")
        #expect(directory.names == ["a.iso.rejected"])
    }

    @Test(
        "sets it aside as well if the list cannot be fetched again",
        arguments: [Fault.status(503), .status(404), .status(429), .refused, .lost(after: 10)])
    func contradictedOnce(fault: Fault) async throws {
        list(["a.iso", "SHA256SUMS"])
        fixture.put("\(Self.wrong)  a.iso\n", at: "SHA256SUMS")
        // The first response is the list.
        server.add(.slow(bytesPerSecond: 1 << 20), to: Self.place + "SHA256SUMS")
        server.add(fault, to: Self.place + "SHA256SUMS", times: 10)
        let error = await #expect(throws: DownloadError.self) { try await fixture.download() }
        #expect(error?.code == .checksumMismatch, "\(error?.message ?? "")")
        #expect(directory.names == ["a.iso.rejected"])
    }

    @Test("asks again for documents that did not list a file, once they are a minute old")
    func renewedWithoutEntry() async throws {
        let cache = ProofCache()
        let now = Monotonic.now() + 1000
        let directory = cache.directory("https://h/a/", now: now)
        let answer = ProofAnswer.failed("missing", isRetryable: false)
        _ = try await cache.document("https://h/a/SHA256SUMS", now: now + 10) { answer }
        _ = try await cache.document("https://h/b/SHA256SUMS", now: now) { answer }
        #expect(!cache.remove("https://h/a/", requestedBefore: now))
        #expect(cache.directory("https://h/a/", now: now + 20) === directory)
        #expect(cache.remove("https://h/a/", requestedBefore: now + 1))
        #expect(cache.directory("https://h/a/", now: now + 20) !== directory)
        await #expect(throws: CancellationError.self) {
            _ = try await cache.document("https://h/a/SHA256SUMS", now: now + 20) {
                throw CancellationError()
            }
        }
        _ = try await cache.document("https://h/b/SHA256SUMS", now: now + 20) { throw CancellationError() }
    }

    @Test(
        "ignores pages, other files' digests and refusals, and keeps the bytes",
        arguments: [
            "<html><p>\(wrong)  a.iso</p></html>", "\(wrong)  b.iso\n", "",
            "\(wrong)  a.iso\n\(String(wrong.reversed()))  a.iso\n",
        ])
    func useless(text: String) async throws {
        list(["a.iso", "SHA256SUMS"])
        fixture.put(text, at: "SHA256SUMS")
        let error = await #expect(throws: DownloadError.self) { try await fixture.download() }
        #expect(error?.code == .unproven && error?.remedy == .proof, "\(error?.message ?? "")")
        #expect(directory.names.contains("a.iso.part"))
        let before = server.requests.count
        #expect(try await fixture.download(.none).bytesWritten == 0)
        #expect(try directory.read("a.iso") == content)
        #expect(server.requests.dropFirst(before).allSatisfy { $0.url.hasSuffix("a.iso") })
    }

    @Test("does not mistake a page for a list")
    func page() async throws {
        list(["a.iso", "SHA256SUMS"])
        let text = Array("\(Self.wrong)  a.iso\n".utf8)
        server.set(FaultServer.File(text, headers: Self.page), at: Self.place + "SHA256SUMS")
        #expect(await #expect(throws: DownloadError.self) { try await fixture.download() }?.code == .unproven)
    }

    @Test("is skipped if nothing asks for it, or a digest is known")
    func unasked() async throws {
        list(["a.iso", "SHA256SUMS"])
        fixture.put("\(Self.wrong)  a.iso\n", at: "SHA256SUMS")
        #expect(try await fixture.download(.none).proofs.isEmpty)
        // Shorter than the files that are worth it.
        #expect(try await fixture.download(.search).proofs.isEmpty)
        #expect(documents.isEmpty)
    }

    @Test("is skipped for URLs whose query selects the content")
    func query() async throws {
        server.set(FaultServer.File(content), at: Self.place + "get?file=a.iso")
        let error = await #expect(throws: DownloadError.self) {
            try await fixture.download(.require(.digest), Self.place + "get?file=a.iso")
        }
        #expect(error?.code == .unproven)
        #expect(server.requests.allSatisfy { $0.url.contains("get?file") })
    }

    @Test("reads the fields for GitHub's API only once it begins", arguments: [true, false])
    func lazyAccess(searches: Bool) async throws {
        fixture.put(digest, at: "a.iso.sha256")
        let count = Lock(0)
        var configuration = configuration
        configuration.releaseAccess = {
            count.withLock { $0 += 1 }
            return nil
        }
        let downloader = server.downloader(configuration)
        _ = try await fixture.download(searches ? .require(.digest) : .none, Self.place + "a.iso", downloader)
        #expect((count.withLock { $0 } > 0) == searches)
    }

    @Test(
        "retries after a transient failure if a proof is required",
        arguments: [Fault.status(503), .lost(after: 5)])
    func passing(fault: Fault) async throws {
        var configuration = configuration
        configuration.retry.delay = .milliseconds(1)
        list(["a.iso", "SHA256SUMS"])
        fixture.put("\(digest)  a.iso\n", at: "SHA256SUMS")
        server.add(fault, to: Self.place + "SHA256SUMS", times: 2)
        #expect(
            try await fixture.download(
                .require(.digest), Self.place + "a.iso", server.downloader(configuration)
            )
            .proofs.count == 1)
    }

    @Test("names the response that prevented it")
    func reason() async throws {
        list(["a.iso", "SHA256SUMS"])
        fixture.put("", at: "SHA256SUMS")
        server.add(.status(403), to: Self.place + "SHA256SUMS", times: 9)
        let error = await #expect(throws: DownloadError.self) { try await fixture.download() }
        #expect(
            error?.message.contains("\(Self.place)SHA256SUMS: the server answered 403") ?? false,
            "\(error?.message ?? "")")
    }

    @Test("names the failure of the listing, not that of the document that it then guesses")
    func reasonOfListing() async throws {
        var configuration = configuration
        configuration.retry.delay = .milliseconds(1)
        server.add(.status(500), to: Self.place, times: 99)
        let error = await #expect(throws: DownloadError.self) {
            try await fixture.download(
                .require(.digest), Self.place + "a.iso", server.downloader(configuration))
        }
        #expect(
            error?.message.contains("none was found: \(Self.place): ") ?? false, "\(error?.message ?? "")")
        // One request of the first search, and two of the second.
        #expect(documents.count { $0 == Self.place } == 3)
    }

    @Test(
        "compares an existing file, and leaves it unchanged",
        arguments: [ExistingFilePolicy.skip, .update, .replace, .fail])
    func existing(policy: ExistingFilePolicy) async throws {
        let downloader = server.downloader(configuration)
        _ = try await fixture.download(.none)
        list(["a.iso", "SHA256SUMS"])
        for (listed, code) in [
            (Self.wrong, DownloadError.Code.checksumMismatch), (digest, nil), (nil, .unproven),
        ] {
            fixture.put(listed.map { "\($0)  a.iso\n" } ?? "", at: "SHA256SUMS")
            var request = try DownloadRequest(Self.place + "a.iso", to: .directory(directory.filePath("")))
            request.proofPolicy = .require(.digest)
            request.ifExists = policy
            do {
                let result = try await downloader.download(request)
                #expect(code == nil && result.outcome != .downloaded && result.verified.count == 1)
            } catch let error as DownloadError {
                #expect(error.code == code, "\(error)")
            }
            #expect(try directory.read("a.iso") == content)
        }
    }

    @Test("can require another host, which the same one is not, and the caller is")
    func otherHost() async throws {
        list(["a.iso", "SHA256SUMS"])
        fixture.put("\(digest)  a.iso\n", at: "SHA256SUMS")
        let error = await #expect(throws: DownloadError.self) {
            try await fixture.download(.require(.otherHost))
        }
        #expect(error?.code == .unproven && error?.message.contains("the host that sent the file") ?? false)
        var request = try DownloadRequest(Self.place + "a.iso", to: .file(directory.filePath("mine")))
        request.proofPolicy = .require(.otherHost)
        request.checksums = [try Checksum(.sha256, digest)]
        #expect(
            try await server.downloader(configuration).download(request).proofs.first?.isRequested == true)
    }

    @Test("lets a digest prove a file, but not refute it, if only its length suggests the algorithm")
    func unnamed() async throws {
        list(["a.iso", "checksums.txt"])
        fixture.put("\(digest)  a.iso\n", at: "checksums.txt")
        #expect(try await fixture.download().proofs.first?.document?.url == Self.place + "checksums.txt")
        // As BLAKE2s and SHA3-256 have.
        fixture.put("\(Self.wrong)  a.iso\n", at: "checksums.txt")
        let error = await #expect(throws: DownloadError.self) { try await fixture.download() }
        #expect(error?.code == .unproven)
        #expect(error?.message.contains("does not name its algorithm") ?? false, "\(error?.message ?? "")")
        let large = TestContent(seed: 4).bytes(0..<ProofSearch.minimumLength)
        server.set(FaultServer.File(large), at: Self.place + "a.iso")
        let result = try await fixture.download(.search)
        #expect(result.proofs.isEmpty && result.outcome == .downloaded)
    }

    @Test("is unnecessary for a file with a strong digest, which a wrong list does not refute")
    func given() async throws {
        list(["a.iso", "SHA256SUMS"])
        fixture.put("\(Self.wrong)  a.iso\n", at: "SHA256SUMS")
        for (name, level) in [("one", ProofPolicy.Level.digest), ("two", .otherHost)] {
            var request = try DownloadRequest(Self.place + "a.iso", to: .file(directory.filePath(name)))
            request.proofPolicy = .require(level)
            request.checksums = [try Checksum(.sha256, digest)]
            let proofs = try await server.downloader(configuration).download(request).proofs
            #expect(proofs == [DigestProof(try Checksum(.sha256, digest), isRequested: true)])
            if level == .digest { #expect(documents.isEmpty) }
        }
    }

    @Test(
        "does not wait for a silent server, and keeps its file",
        arguments: [Fault.stalled(after: 10), .status(503), .refused])
    func faults(fault: Fault) async throws {
        let large = TestContent(seed: 4).bytes(0..<ProofSearch.minimumLength)
        server.set(FaultServer.File(large), at: Self.place + "a.iso")
        list(["a.iso", "SHA256SUMS"])
        fixture.put("\(Self.wrong)  a.iso\n", at: "SHA256SUMS")
        server.add(fault, to: Self.place, times: 5)
        #expect(try await fixture.download(.search).proofs.isEmpty)
        #expect(try directory.read("a.iso") == large)
    }
}
