import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLTesting

@Suite("The search for a list's signature", .timeLimit(.minutes(10)))
struct SignatureSearchTests {
    private static let place = "https://host/pub/x/"

    private let directory: TemporaryDirectory
    private let server = FaultServer()
    private let key: ProofKey
    private var configuration = Configuration()

    init() throws {
        directory = try TemporaryDirectory()
        key = try ProofKey(ListSignatures.key)
        configuration.durability = .process
        configuration.retry.delay = .milliseconds(1)
        for name in ["a.iso", "b.iso"] { put([UInt8](repeating: 0, count: Self.length(name)), at: name) }
    }

    private static func length(_ name: String) -> Int { ListSignatures.lengths[name] ?? 0 }

    private func put(_ bytes: [UInt8], at name: String) {
        server.set(FaultServer.File(bytes), at: name.contains("://") ? name : Self.place + name)
    }

    private func put(_ text: String, at name: String) { put(Array(text.utf8), at: name) }

    private func list(_ names: [String]) {
        let links = names.map { "<a href=\"\($0)\">\($0)</a>\n" }.joined()
        server.set(
            FaultServer.File(
                Array("<html>\(links)</html>".utf8), headers: [HTTPHeader("Content-Type", "text/html")]),
            at: Self.place)
    }

    private func download(
        _ name: String = "b.iso", _ level: ProofPolicy.Level? = .signature, by keys: [ProofKey]? = nil,
        _ downloader: Downloader? = nil
    ) async throws -> DownloadResult {
        let url = name.contains("://") ? name : Self.place + name
        var request = try DownloadRequest(url, to: .directory(directory.filePath("")))
        request.proofPolicy = level.map { ProofPolicy.require($0) } ?? .search
        request.proofPolicy.keys = keys ?? [key]
        request.ifExists = .rename
        return try await (downloader ?? server.downloader(configuration)).download(request)
    }

    private func signature(_ result: DownloadResult) -> DigestProof.Signature? {
        result.proofs.first?.document?.signature
    }

    private func refusal(
        _ name: String = "b.iso", by keys: [ProofKey]? = nil, _ downloader: Downloader? = nil
    ) async -> DownloadError? {
        await #expect(throws: DownloadError.self) { try await download(name, by: keys, downloader) }
    }

    private var documents: [String] {
        server.requests.map(\.url).filter { !$0.hasSuffix(".iso") }.map {
            $0.hasPrefix(Self.place) ? String($0.dropFirst(Self.place.count)) : $0
        }
    }

    private let minisign = DigestProof.Signature(kind: .minisign, key: ListSignatures.keyID)

    @Test("finds the one in the listing, with one further request")
    func listed() async throws {
        list(["a.iso", "b.iso", "SHA256SUMS", "SHA256SUMS.minisig", "SHA256SUMS.asc"])
        put(ListSignatures.list, at: "SHA256SUMS")
        put(ListSignatures.minisign, at: "SHA256SUMS.minisig")
        #expect(signature(try await download()) == minisign)
        #expect(documents == ["", "SHA256SUMS", "SHA256SUMS.minisig"])
    }

    @Test("requests none without a key, and none that the listing lacks")
    func unasked() async throws {
        list(["a.iso", "b.iso", "SHA256SUMS", "SHA256SUMS.asc"])
        put(ListSignatures.list, at: "SHA256SUMS")
        let plain = try await download("b.iso", .digest, by: [])
        #expect(plain.proofs.count == 1 && signature(plain) == nil)
        let keyed = try await download("b.iso", .digest)
        #expect(keyed.proofs.count == 1 && signature(keyed) == nil)
        #expect(documents == ["", "SHA256SUMS", "", "SHA256SUMS"])
        let error = await refusal()
        #expect(error?.code == .unproven && error?.remedy == .signature, "\(error?.message ?? "")")
    }

    @Test("requests it once for all files of a directory")
    func shared() async throws {
        let downloader = server.downloader(configuration)
        list(["a.iso", "b.iso", "SHA256SUMS", "SHA256SUMS.minisig"])
        put(ListSignatures.list, at: "SHA256SUMS")
        put(ListSignatures.minisign, at: "SHA256SUMS.minisig")
        for name in ["a.iso", "b.iso", "b.iso"] {
            #expect(signature(try await download(name, by: nil, downloader)) == minisign)
        }
        #expect(documents == ["", "SHA256SUMS", "SHA256SUMS.minisig"])
    }

    @Test("of a list without the file does not hide the file's own document")
    func elsewhere() async throws {
        let content = [UInt8](repeating: 7, count: 1000)
        list(["b.iso", "c.iso", "c.iso.sha256", "SHA256SUMS", "SHA256SUMS.minisig"])
        put(content, at: "c.iso")
        put(Digest.sha256(content), at: "c.iso.sha256")
        put(ListSignatures.list, at: "SHA256SUMS")
        put(ListSignatures.minisign, at: "SHA256SUMS.minisig")
        let result = try await download("c.iso", .digest)
        #expect(result.proofs.first?.document?.url == Self.place + "c.iso.sha256")
        #expect(signature(result) == nil)
        #expect(documents == ["", "SHA256SUMS", "SHA256SUMS.minisig", "c.iso.sha256"])
    }

    @Test("guesses one name if no listing exists, and no other in that directory")
    func guessed() async throws {
        let downloader = server.downloader(configuration)
        let digests = ListSignatures.list.split(separator: "\n").map { String($0.prefix(64)) }
        put(digests[0], at: "a.iso.sha256")
        put(digests[1], at: "b.iso.sha256")
        for name in ["a.iso", "b.iso"] {
            let result = try await download(name, .digest, by: nil, downloader)
            #expect(result.proofs.count == 1 && signature(result) == nil)
        }
        #expect(documents == ["", "a.iso.sha256", "a.iso.sha256.minisig", "b.iso.sha256"])
    }

    @Test("finds the guessed signature of each file")
    func guessedRight() async throws {
        let ring = try await OpenPGPKey()
        let keys = [try ProofKey(ring.ring)]
        let downloader = server.downloader(configuration)
        let digests = ListSignatures.list.split(separator: "\n").map { String($0.prefix(64)) }
        for (name, digest) in zip(["a.iso", "b.iso"], digests) {
            put(digest, at: name + ".sha256")
            put(try await ring.signature(digest), at: name + ".sha256.asc")
            let found = signature(try await download(name, by: keys, downloader))
            #expect(found == DigestProof.Signature(kind: .openPGP, key: ring.fingerprint))
        }
        let each = ["a.iso", "b.iso"].map { ["\($0).sha256", "\($0).sha256.asc"] }
        #expect(documents == [""] + each[0] + each[1])
    }

    @Test(
        "treats a list with a wrong signature as unsigned, and keeps a correct file",
        arguments: [ListSignatures.otherMinisign, "hello", ""])
    func wrong(text: String) async throws {
        list(["a.iso", "b.iso", "SHA256SUMS", "SHA256SUMS.minisig"])
        put(ListSignatures.list, at: "SHA256SUMS")
        put(text, at: "SHA256SUMS.minisig")
        let error = await refusal()
        #expect(error?.code == .unproven && error?.message.contains("SHA256SUMS.minisig") ?? false)
        let result = try await download("b.iso", .digest)
        #expect(result.proofs.first?.document != nil && signature(result) == nil)
        #expect(try directory.read("b.iso").count == Self.length("b.iso"))
    }

    @Test("sets a file aside that contradicts a list, signed correctly or not")
    func contradicted() async throws {
        put([UInt8](repeating: 1, count: 300_000), at: "b.iso")
        list(["a.iso", "b.iso", "SHA256SUMS", "SHA256SUMS.minisig"])
        put(ListSignatures.list, at: "SHA256SUMS")
        for text in [ListSignatures.minisign, ListSignatures.otherMinisign] {
            put(text, at: "SHA256SUMS.minisig")
            #expect(await refusal()?.code == .checksumMismatch)
        }
    }

    @Test("reads only the signed part of a list")
    func inline() async throws {
        let ring = try await OpenPGPKey()
        let keys = [try ProofKey(ring.ring)]
        list(["a.iso", "b.iso", "Image-CHECKSUM"])
        put(try await ring.inline(ListSignatures.list), at: "Image-CHECKSUM")
        let found = signature(try await download("b.iso", by: keys))
        #expect(found == DigestProof.Signature(kind: .openPGP, key: ring.fingerprint))
        #expect(documents == ["", "Image-CHECKSUM"])
        // The file's digest is not in the signed part.
        let inline = try await ring.inline("\(String(repeating: "0a", count: 32))  c.iso\n")
        put(inline + ListSignatures.list, at: "Image-CHECKSUM")
        let error = await refusal(by: keys)
        #expect(error?.code == .unproven, "\(error?.message ?? "")")
    }

    @Test("retries after a transient failure")
    func passing() async throws {
        list(["a.iso", "b.iso", "SHA256SUMS", "SHA256SUMS.minisig"])
        put(ListSignatures.list, at: "SHA256SUMS")
        put(ListSignatures.minisign, at: "SHA256SUMS.minisig")
        server.add(.status(503), to: Self.place + "SHA256SUMS.minisig", times: 2)
        #expect(signature(try await download()) == minisign)
    }

    @Test("finds a signed list among the assets of a release, whose digests GitHub does not sign")
    func release() async throws {
        let place = "https://github.com/o/r/releases/download/v1/"
        let digest = ListSignatures.list.split(separator: "\n")[1].prefix(64)
        put([UInt8](repeating: 0, count: 300_000), at: place + "b.iso")
        func publish(_ names: [String]) {
            let assets =
                names.map { #"{"name":"\#($0)","digest":null}"# }
                + [#"{"name":"b.iso","digest":"sha256:\#(digest)"}"#]
            put(
                #"{"assets":[\#(assets.joined(separator: ","))]}"#,
                at: "https://api.github.com/repos/o/r/releases/tags/v1")
        }
        publish(["SHA256SUMS"])
        let plain = try await download(place + "b.iso", .otherHost)
        #expect(plain.proofs.first?.document?.isOfOtherHost == true && signature(plain) == nil)
        publish(["SHA256SUMS", "SHA256SUMS.minisig"])
        put(ListSignatures.list, at: place + "SHA256SUMS")
        put(ListSignatures.minisign, at: place + "SHA256SUMS.minisig")
        #expect(signature(try await download(place + "b.iso", .signature)) == minisign)
        // A trusted signature is at least as good as another host.
        #expect(signature(try await download(place + "b.iso", .otherHost)) == minisign)
    }

    @Test("verifies other bytes at the same URL again")
    func changed() async throws {
        let cache = ProofCache()
        func id(_ document: [UInt8]) -> ProofCache.SignatureID {
            ProofCache.SignatureID(document: document, signature: Self.place + "L.minisig", keys: [key])
        }
        let valid = SignatureFinding.valid(minisign)
        #expect(try await cache.signature(id([1])) { valid } == valid)
        let lacking = SignatureFinding.lacking(SignatureLack(reason: "x"))
        #expect(try await cache.signature(id([1])) { lacking } == valid)
        #expect(try await cache.signature(id([2])) { lacking } == lacking)
    }

    @Test("does not apply to a caller's own digest, which no key has signed")
    func requested() async throws {
        var request = try DownloadRequest(Self.place + "b.iso", to: .directory(directory.filePath("")))
        let digest = ListSignatures.list.split(separator: "\n")[1].prefix(64)
        request.checksums = [try Checksum(.sha256, String(digest))]
        request.proofPolicy = .require(.signature, keys: [key])
        let error = await #expect(throws: DownloadError.self) {
            try await server.downloader(configuration).download(request)
        }
        #expect(error?.code == .unproven)
    }

    @Test("compares an existing file")
    func existing() async throws {
        let downloader = server.downloader(configuration)
        _ = try await download("b.iso", nil, by: nil, downloader)
        var request = try DownloadRequest(Self.place + "b.iso", to: .directory(directory.filePath("")))
        request.proofPolicy = .require(.signature, keys: [key])
        request.ifExists = .skip
        #expect(await refused(request)?.code == .unproven)
        list(["a.iso", "b.iso", "SHA256SUMS", "SHA256SUMS.minisig"])
        put(ListSignatures.list, at: "SHA256SUMS")
        put(ListSignatures.minisign, at: "SHA256SUMS.minisig")
        let result = try await server.downloader(configuration).download(request)
        #expect(result.outcome != .downloaded && signature(result) == minisign)
    }

    private func refused(_ request: DownloadRequest) async -> DownloadError? {
        await #expect(throws: DownloadError.self) {
            try await server.downloader(configuration).download(request)
        }
    }
}
