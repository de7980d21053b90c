import Foundation
import TestContent
import TestSupport
import Testing

@Suite("Names of files")
struct NameTests {
    private let server: TestServerProcess.Scenario
    private let directory: TemporaryDirectory

    init() async throws {
        server = try await SharedServer.scenario()
        directory = try TemporaryDirectory()
    }

    private func run(_ arguments: [String]) async throws -> ChildProcess.Result {
        try await Segdl.run(arguments, in: directory)
    }

    /// Returns a URL that redirects to a file.
    private func link(_ name: String, to target: String, _ query: String = "") -> String {
        server.url("redirect", 7, name: name, "to=/plain/7/\(target)?case%3D\(server.token)\(query)")
    }

    @Test(
        "follow redirects with --trust-server-names and for aria2c, without their query",
        arguments: [["--trust-server-names"], ["aria2c", "--no-conf"]])
    func finalURL(command: [String]) async throws {
        let url = link("latest", to: "small-1.2.3.iso", "%26x%3D1")
        for _ in 1...2 {
            let result = try await run(command + [url])
            #expect(result.status == 0, "\(result)")
        }
        #expect(directory.names.first == "small-1.2.3.iso" && !directory.names.contains("latest"))
        #expect(try await run([url]).status == 0)
        #expect(directory.names.contains("latest"))
    }

    @Test("in other alphabets than UTF-8 are refused on the command line")
    func notUTF8() async throws {
        let call = "exec \"$0\" fetch -o \"$(printf 'a\\304')\" \"$1\""
        let result = try await ChildProcess(
            "/bin/sh", ["-c", call, Segdl.path, server.url("plain", 7)], directory: directory.path
        ).result()
        #expect(result.status == 64)
        #expect(result.errors.contains("is not UTF-8"))
        #expect(directory.names.isEmpty)
    }

    @Test("of Content-Disposition take precedence over those of redirects")
    func disposition() async throws {
        let url = link("latest", to: "final", "%26disposition%3Dattachment;filename%3Dsent.iso")
        #expect(try await run(["--trust-server-names", url]).status == 0)
        #expect(directory.names == ["sent.iso"])
    }

    @Test("of redirects are restricted, those typed by the user are not")
    func dots() async throws {
        #expect(try await run(["--trust-server-names", link("a", to: ".bashrc")]).status == 0)
        let result = try await run([
            server.url("plain", 7, name: ".gitignore"), server.url("plain", 7, name: "trailing."),
            server.url("plain", 7, name: "x", "disposition=attachment;filename%3D.profile"),
        ])
        #expect(result.status == 0, "\(result)")
        #expect(Set(directory.names) == ["bashrc", ".gitignore", "trailing.", "profile"])
    }

    @Test("come from the last URL if the first has none, or from -o")
    func query() async throws {
        let url = link("", to: "small.iso", "%26product%3Dfirefox")
        let result = try await run([url])
        #expect(result.status == 0, "\(result)")
        #expect(try await run(["-o", "mine", url]).status == 0)
        #expect(Set(directory.names) == ["small.iso", "mine"])
        let again = try await run([url])
        #expect(again.status == 0 && again.errors.contains("exists, unchanged"), "\(again)")
    }

    @Test("in other alphabets do not collide, on the command line, in a list and in redirects")
    func alphabets() async throws {
        let bytes: [[UInt8]] = [[0xc4, 0xe3], [0xba, 0xc3]]
        let parts = server.url("plain", 7, name: "@").split(separator: "@")
        var list: [UInt8] = []
        for name in bytes { list += Array(parts[0].utf8) + name + Array(parts[1].utf8) + [0x0a] }
        try Data(list).write(to: URL(filePath: directory.file("list")))
        let result = try await run(["-i", "list"])
        #expect(result.status == 0, "\(result)")
        #expect(directory.names == ["%BA%C3", "%C4%E3", "list"])
        #expect(
            try await Set(server.requests().map(\.target.path)).isSuperset(of: [
                "/plain/7/%C4%E3", "/plain/7/%BA%C3",
            ]))
        let typed = try await run(["--if-exists", "fail", server.url("plain", 7, name: "%c4%e3")])
        #expect(typed.status == 0 && typed.errors.contains("exists, unchanged"), "\(typed)")
        let moved = try await run([
            "--trust-server-names", link("latest", to: "%d6%d0.zip"),
        ])
        #expect(moved.status == 0, "\(moved)")
        #expect(directory.names.contains("%D6%D0.zip"))
        #expect(try await server.requests().contains { $0.target.path.uppercased().hasSuffix("/%D6%D0.ZIP") })
    }

    @Test("that are two spellings of the same URL count as given twice")
    func spellings() async throws {
        let spelled = ["a%2Db.txt", "a-b.txt"].map { server.url("plain", 7, name: $0) }
        let result = try await run(spelled)
        #expect(result.status == 0 && result.errors.contains("fetched once"), "\(result)")
        #expect(try await server.peak().requests == 1)
    }

    @Test("are kept if a URL has a new signature")
    func signedAnew() async throws {
        let urls = ["1", "2"].map { server.url("plain", 300_000, name: "f", "X-Amz-Signature=\($0)") }
        #expect(try await run([urls[0]]).status == 0)
        let again = try await run([urls[1]])
        #expect(again.status == 0 && again.errors.contains("exists, unchanged"), "\(again)")
        let other = try await run([server.url("plain", 300_000, name: "f", "X-Amz-Signature=3&seed=2")])
        #expect(other.status == 5 && other.errors.contains("--checksum"), "\(other)")
    }

    @Test("of a page instead of the file are reported, with status 0")
    func page() async throws {
        let target = link("disk.iso", to: "login", "%26ctype%3Dtext/html")
        let result = try await run([target])
        #expect(
            result.status == 0 && result.errors.contains("a web page (text/html) as 'disk.iso'"), "\(result)")
        let json = try await run(["--progress", "json", "-o", "b.iso", target])
        #expect(json.output.contains(#""page":"text/html""#), "\(json)")
        for name in ["index.html", "plain.iso"] {
            let type = name == "index.html" ? "text/html" : "application/octet-stream"
            let result = try await run([server.url("plain", 7, name: name, "ctype=\(type)")])
            #expect(result.status == 0 && !result.errors.contains("web page"), "\(result)")
        }
    }

    @Test(
        "are not used for content of another type than --expect-type",
        arguments: [
            (["--expect-type", "application/x-iso9660-image"], 4), (["--expect-type", "image/*"], 4),
            (["--expect-type", "TEXT/html"], 0),
            (["--expect-type", "image/*", "--expect-type", "text/*"], 0),
        ] as [([String], Int32)])
    func expectType(options: [String], status: Int32) async throws {
        let url = server.url("plain", 300_000, name: "disk.iso", "ctype=text/html")
        let result = try await run(options + ["-d", "new", url])
        #expect(result.status == status, "\(result)")
        #expect(directory.names == (status == 0 ? ["new"] : []))
        try directory.write("\(url)\n  expect-type=image/png\n  out=x\n", to: "list")
        let listed = try await run(options + ["-i", "list"])
        #expect(listed.status == 4 && listed.errors.contains("image/png is expected"), "\(listed)")
        let looked = try await run(["--expect-type", "image/png", "--dry-run", url])
        #expect(looked.status == 4, "\(looked)")
    }

    @Test("of hosts with expired cookies are reported")
    func expiredCookies() async throws {
        let line = ["127.0.0.1", "FALSE", "/", "FALSE", "1000000000", "session", "x"].joined(separator: "\t")
        try directory.write("\(line)\n", to: "jar")
        let result = try await run([
            "-b", "jar", server.url("plain", 7, name: "a"), server.url("plain", 7, name: "b"),
        ])
        #expect(result.status == 0, "\(result)")
        #expect(
            result.errors.components(separatedBy: "1 cookie in 'jar' is expired and not sent to 127.0.0.1")
                .count == 2,
            "\(result)")
    }
}

extension String {
    /// The path of a request's target.
    fileprivate var path: String { String(prefix { $0 != "?" }) }
}
