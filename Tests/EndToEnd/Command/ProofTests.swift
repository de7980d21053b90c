import Foundation
import SegmentedDLSupport
import TestContent
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("A digest beside a file", .timeLimit(.minutes(10)))
struct ProofTests {
    private static let length = ProofSearch.minimumLength + 1000

    private let nginx: Nginx
    private let directory: TemporaryDirectory
    private let digest: String

    init() async throws {
        // Slow enough for the search to end first.
        nginx = try await Nginx(server: "autoindex on; location ~ \\.iso$ { limit_rate 400k; }")
        directory = try TemporaryDirectory()
        let content = TestContent(seed: 5).bytes(0..<Self.length)
        digest = Digest.sha256(content)
        for name in ["a.iso", "b.iso"] { try Data(content).write(to: URL(filePath: nginx.root.file(name))) }
    }

    private func run(_ arguments: [String]) async throws -> ChildProcess.Result {
        try await Segdl.run(arguments, in: directory)
    }

    private var documents: [String] {
        nginx.accessLog.filter { !$0.contains(".iso HTTP") }.compactMap { line in
            line.split(separator: "\"").dropFirst().first.map(String.init)
        }
    }

    @Test("is found by default, and named by the last line and JSON")
    func found() async throws {
        try nginx.root.write("\(digest)  a.iso\n\(digest)  b.iso\n", to: "SHA256SUMS")
        let plain = try await run(["--progress", "plain", nginx.url("a.iso")])
        #expect(plain.status == 0, "\(plain)")
        #expect((plain.output + plain.errors).contains("sha256 verified (listed in SHA256SUMS)"), "\(plain)")
        let json = try await run(["--progress", "json", nginx.url("b.iso")])
        let document = nginx.url("SHA256SUMS")
        #expect(
            json.output.contains(
                "\"proofs\":[{\"digest\":\"sha256=\(digest)\",\"requested\":false,\"field\":null,\"document\":\"\(document)\",\"other_host\":false,\"signature\":null,\"parts\":null}]"
            ), "\(json)")
        let each = ["GET / HTTP/1.1", "GET /SHA256SUMS HTTP/1.1"]
        #expect(documents == each + each)
    }

    @Test("is reported by the run of a queue")
    func ofQueue() async throws {
        try nginx.root.write("\(digest)  a.iso\n", to: "SHA256SUMS")
        let added = try await run(["queue", "add", "--queue", "q.sqlite", nginx.url("a.iso")])
        #expect(added.status == 0, "\(added)")
        let run = try await run(["queue", "start", "--queue", "q.sqlite", "--progress", "plain"])
        #expect(run.status == 0, "\(run)")
        #expect((run.output + run.errors).contains("sha256 verified (listed in SHA256SUMS)"), "\(run)")
    }

    @Test("of other bytes sets the file aside, and --no-proof ignores it")
    func contradicted() async throws {
        try nginx.root.write("\(String(repeating: "0f", count: 32))  a.iso\n", to: "SHA256SUMS")
        let result = try await run([nginx.url("a.iso")])
        #expect(result.status == 4 && result.errors.contains("--no-proof"), "\(result)")
        #expect(directory.names == ["a.iso.rejected"])
        let asked = documents.count
        #expect(try await run(["--no-proof", nginx.url("a.iso")]).status == 0)
        #expect(documents.count == asked)
    }

    @Test("is found for all files of a run with one list")
    func list() async throws {
        try nginx.root.write("\(digest)  a.iso\n\(digest)  b.iso\n", to: "SHA256SUMS")
        let result = try await run(["--require-proof", nginx.url("a.iso"), nginx.url("b.iso")])
        #expect(result.status == 0, "\(result)")
        #expect(documents.count == 2, "\(documents)")
    }

    @Test("is an error if required and missing, and the fetched file is kept")
    func demanded() async throws {
        let result = try await run(["--require-proof", nginx.url("a.iso")])
        #expect(result.status == 4 && result.errors.contains("--require-proof"), "\(result)")
        #expect(directory.names.contains("a.iso.part") && !directory.names.contains("a.iso"))
        let other = try await run(["--require-proof=other-host", nginx.url("a.iso")])
        #expect(other.status == 4 && other.errors.contains("has no list of digests"), "\(other)")
        let again = try await run([nginx.url("a.iso")])
        #expect(again.status == 0 && again.errors.contains("(0 B of it in this run)"), "\(again)")
        #expect(try directory.read("a.iso").count == Int(Self.length))
    }

    @Test("is not attributed to another host if the file's host redirects to it")
    func redirected() async throws {
        let nginx = try await Nginx(
            server: "location = /a.iso.sha256 { return 302 http://localhost:$server_port/list; }")
        try nginx.root.write("hello", to: "a.iso")
        try nginx.root.write(Digest.sha256("hello".utf8), to: "list")
        let result = try await run(["--require-proof=other-host", nginx.url("a.iso")])
        #expect(result.status == 4 && result.errors.contains("the host that sent the file"), "\(result)")
        #expect(try await run(["--require-proof", nginx.url("a.iso")]).status == 0)
    }

    @Test("is not attributed to another host if this one may have sent bytes to an earlier run")
    func earlierHost() async throws {
        let nginx = try await Nginx(
            server: """
                location = /a.iso {
                    set $moved "";
                    if (-f $document_root/moved) { set $moved yes; }
                    if ($host = localhost) { set $moved ""; }
                    if ($moved = yes) { return 302 http://localhost:$server_port/a.iso; }
                }
                """)
        try nginx.root.write("hello", to: "a.iso")
        try nginx.root.write(Digest.sha256("hello".utf8), to: "a.iso.sha256")
        #expect(try await run([nginx.url("a.iso")]).status == 0)
        try nginx.root.write("", to: "moved")
        let arguments = ["--require-proof=other-host", nginx.url("a.iso")]
        let kept = try await run(arguments)
        #expect(kept.status == 4 && kept.errors.contains("the host that sent the file"), "\(kept)")
        try FileManager.default.removeItem(atPath: directory.file("a.iso"))
        #expect(try await run(arguments).status == 0)
    }

    @Test("is requested with the login in the URL")
    func login() async throws {
        try directory.write("me:{PLAIN}pw\n", to: "users")
        let nginx = try await Nginx(server: "auth_basic x; auth_basic_user_file \(directory.path)/users;")
        try nginx.root.write("hello", to: "a.iso")
        try nginx.root.write(Digest.sha256("hello".utf8), to: "a.iso.sha256")
        let url = nginx.url("a.iso").replacingOccurrences(of: "//", with: "//me:pw@")
        let result = try await run(["--require-proof", url])
        #expect(result.status == 0, "\(result)")
    }

    @Test("cannot be required for a pipe, nor together with --no-proof")
    func misuse() async throws {
        #expect(try await run(["--require-proof", "-o", "-", nginx.url("a.iso")]).status == 64)
        #expect(try await run(["--require-proof", "--no-proof", nginx.url("a.iso")]).status == 64)
        #expect(try await run(["--require-proof=signature", nginx.url("a.iso")]).status == 64)
    }
}
