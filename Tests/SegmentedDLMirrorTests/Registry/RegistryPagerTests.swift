import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror
@testable import TestSupport

/// A registry in memory.
@Suite("The listing of an image in a registry")
struct RegistryPagerTests {
    private static func descriptor(_ digest: String) -> String {
        "{\"mediaType\": \"m\", \"digest\": \"\(digest)\", \"size\": 1}"
    }

    private static let blob = descriptor("sha256:\(String(repeating: "a", count: 64))")
    private static let manifest = "{\"schemaVersion\": 2, \"config\": \(blob), \"layers\": []}"
    private static let digest = "sha256:\(Digest.sha256(manifest.utf8))"

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Lists an image.
    ///
    /// - Parameters:
    ///   - headers: The header fields of the manifest.
    ///   - referrers: The response to the request for artifacts that refer to the image.
    /// - Returns: The entries, and the targets of the requests.
    private func list(
        _ manifest: String = manifest, headers: [HTTPHeader] = [],
        referrers: MemoryEngine.Reply = .init(head: ResponseHead(status: 404))
    ) async throws -> (entries: [MirrorEntry], requests: [String]) {
        let engine = MemoryEngine { request, _ in
            guard request.url.contains("/manifests/") else { return referrers }
            var reply = MemoryEngine.Reply.honest(Array(manifest.utf8), request.range)
            for header in headers { reply.head.append(header) }
            return reply
        }
        var source = try RegistrySource(RegistryLocation("oci://localhost:5000/app:v1"))
        source.layout = directory.filePath("copy")
        var configuration = Configuration()
        configuration.retry.delay = .milliseconds(1)
        let downloader = Downloader(configuration: configuration, engine: engine)
        var entries: [MirrorEntry] = []
        for try await entry in downloader.entries(of: .registry(source)) { entries.append(entry) }
        return (
            entries, engine.requests.map { String($0.url.dropFirst("http://localhost:5000/v2/app/".count)) }
        )
    }

    @Test(
        "requests the artifacts that refer to the image once, also from a registry that is busy",
        arguments: [
            (500, []), (503, [HTTPHeader("Retry-After", "0")]), (429, [HTTPHeader("Retry-After", "20")]),
        ] as [(Int, [HTTPHeader])])
    func referrers(status: Int, headers: [HTTPHeader]) async throws {
        let (entries, requests) = try await list(
            referrers: .init(head: ResponseHead(status: status, fields: headers)))
        #expect(entries.count == 2)
        #expect(requests == ["manifests/v1", "referrers/\(Self.digest)"])
    }

    @Test("does not request them for an image that is complete")
    func completeImage() async throws {
        let index = "{\"schemaVersion\": 2, \"manifests\": [\(Self.descriptor(Self.digest))]}"
        _ = try await list()
        try directory.write(index, to: "copy/index.json")
        #expect(try await list().requests == ["manifests/v1"])
    }

    @Test(
        "refuses a manifest that clients may read in two ways",
        arguments: [
            ("{\"config\": \(blob), \"layers\": [], \"manifests\": []}", ""),
            ("{\"layers\": [], \"manifests\": []}", ""),
            ("{\"mediaType\": \"\(ImageManifest.types[0])\", \"config\": \(blob)}", ""),
            ("{\"mediaType\": \"\(ImageManifest.types[3])\", \"manifests\": []}", ""),
            (manifest, "\(ImageManifest.types[0]); charset=utf-8"),
            ("{\"manifests\": []}", ImageManifest.types[1]),
        ])
    func ambiguous(text: String, type: String) async {
        let headers = type.isEmpty ? [] : [HTTPHeader("Content-Type", type)]
        let error = await #expect(throws: DownloadError.self) { try await list(text, headers: headers) }
        #expect(error?.code == .badResponse && error?.message.contains("ambiguous") == true)
        #expect(!directory.exists("copy"))
    }

    @Test("accepts a manifest whose type is stated, or is unknown")
    func statedType() async throws {
        for type in [ImageManifest.types[1], ImageManifest.types[3], "application/json", "text/plain"] {
            #expect(try await list(headers: [HTTPHeader("Content-Type", type)]).entries.count == 2)
        }
    }

    @Test("refuses a manifest of a tag that does not have the digest stated by the registry")
    func statedDigest() async throws {
        func header(_ digest: String) -> [HTTPHeader] { [HTTPHeader("Docker-Content-Digest", digest)] }
        #expect(try await list(headers: header(Self.digest)).entries.count == 2)
        let other = "sha256:\(String(repeating: "b", count: 64))"
        let error = await #expect(throws: DownloadError.self) { try await list(headers: header(other)) }
        #expect(error?.code == .checksumMismatch)
    }

    @Test("names the schema version of a manifest whose stated digest does not include its signatures")
    func firstSchema() async throws {
        let digest = "sha256:\(String(repeating: "b", count: 64))"
        let error = await #expect(throws: DownloadError.self) {
            try await list(
                "{\"schemaVersion\": 1, \"fsLayers\": [], \"signatures\": []}",
                headers: [HTTPHeader("Docker-Content-Digest", digest)])
        }
        #expect(error?.code == .badResponse && error?.message.contains("schema version 1") == true)
    }

    @Test("names the size of a manifest that is too large")
    func tooLarge() async throws {
        let spaces = String(repeating: " ", count: 17 << 20)
        let error = await #expect(throws: DownloadError.self) { try await list(Self.manifest + spaces) }
        #expect(error?.message.contains("too many for a manifest") == true, "\(String(describing: error))")
    }
}
