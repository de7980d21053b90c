import Foundation
import SegmentedDL
import TestSupport
import Testing

/// nginx in place of an index of packages and of a repository of research data.
@Suite("Files that one document describes")
struct DescribedFilesTests {
    private let nginx: Nginx
    private let directory: TemporaryDirectory

    init() async throws {
        directory = try TemporaryDirectory()
        nginx = try await Nginx(
            http: "map $http_accept $form { default html; '~v1\\+json' json; }",
            server: """
                location /simple/ { index project.$form; default_type application/vnd.pypi.simple.v1+json; }
                location /api/records/7 { default_type application/json; try_files /record.json =404; }
                """)
        try nginx.root.makeDirectory("simple/project")
        try nginx.root.makeDirectory("api/records/7/files")
        try nginx.root.makeDirectory("files")
        try nginx.root.write("wheel", to: "files/p-1.0-py3.whl")
        try nginx.root.write("data", to: "files/data.csv")
    }

    private func mirror(_ format: String, _ path: String) async throws -> ChildProcess.Result {
        try await Segdl.run(
            [
                "mirror", "--format", format, "--retries", "1", "--retry-delay", "0.01", nginx.url(path),
                "copy",
            ],
            in: directory)
    }

    @Test("are mirrored from an index of packages, with the digests of its JSON", arguments: [true, false])
    func packages(isRight: Bool) async throws {
        let digest = Digest.sha256(Array((isRight ? "wheel" : "other").utf8))
        try nginx.root.write(
            "{\"files\": [{\"filename\": \"p-1.0-py3.whl\", \"url\": \"../../files/p-1.0-py3.whl\", \"hashes\": {\"sha256\": \"\(digest)\"}}]}",
            to: "simple/project/project.json")
        let end = try await mirror("packages", "simple/project")
        #expect(end.status == (isRight ? 0 : 1), "\(end.errors)")
        #expect(directory.exists("copy/p-1.0-py3.whl") == isRight)
        guard isRight else { return }
        let requests = nginx.accessLog.count
        #expect(try await mirror("packages", "simple/project").status == 0)
        #expect(nginx.accessLog.dropFirst(requests).allSatisfy { $0.contains("/simple/") })
    }

    @Test("are mirrored from a record, with its digests")
    func record() async throws {
        let host = nginx.url("")
        try nginx.root.write(
            "{\"files\": [{\"key\": \"tables/data.csv\", \"size\": 4, \"checksum\": \"md5:8d777f385d3dfec8815d20f7496026dc\", \"links\": {\"self\": \"\(host)files/data.csv\"}}]}",
            to: "record.json")
        let end = try await mirror("record", "records/7")
        #expect(end.status == 0, "\(end.errors)")
        #expect(try directory.read("copy/tables/data.csv") == Array("data".utf8))
    }

    @Test("are not mirrored from other documents, and the message says what was expected")
    func others() async throws {
        let end = try await mirror("record", "files/data.csv")
        #expect(end.status != 0 && end.errors.contains("describes no files"), "\(end.errors)")
        let page = try await mirror("packages", "files/data.csv?x")
        #expect(page.status != 0 && page.errors.contains("is not a project page"), "\(page.errors)")
    }
}
