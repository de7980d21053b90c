import Foundation
import SegmentedDL
import TestSupport
import Testing

/// nginx in place of GitHub: its API in two pages, which require a token, and assets, which require none.
@Suite("The releases of a repository")
struct GitHubTests {
    private let nginx: Nginx
    private let directory: TemporaryDirectory

    init() async throws {
        directory = try TemporaryDirectory()
        nginx = try await Nginx(
            http: """
                map $arg_page $next {
                    default ''; '' '<http://127.0.0.1:$server_port/api/repos/o/r/releases?page=2>; rel="next"';
                }
                """,
            server: """
                location /api/ {
                    if ($http_authorization != "Bearer t0ken") { return 401; }
                    default_type application/json; add_header Link $next;
                    try_files /page$arg_page.json =404;
                }
                location /o/r/releases/download/ { if ($http_authorization) { return 403; } }
                """)
    }

    /// The host of the pages and assets, which differs from the API's.
    private var site: String { nginx.url("").replacing("127.0.0.1", with: "localhost") }

    private static func content(_ name: String) -> [UInt8] { Array("the content of \(name)".utf8) }

    /// Writes a page of the API, and its assets.
    ///
    /// - Parameter digests: The digests of names whose stated digest differs from their content's.
    private func write(_ page: String, tag: String, _ names: [String], digests: [String: String] = [:]) throws
    {
        try nginx.root.makeDirectory("o/r/releases/download/\(tag)")
        let assets = try names.map { name in
            let content = Self.content(tag + name)
            try nginx.root.write(
                String(decoding: content, as: UTF8.self), to: "o/r/releases/download/\(tag)/\(name)")
            let digest = digests[name] ?? Digest.sha256(content)
            return """
                {"name": "\(name)", "size": \(content.count), "digest": "sha256:\(digest)",
                "browser_download_url": "\(site)o/r/releases/download/\(tag)/\(name)"}
                """
        }
        try nginx.root.write(
            "[{\"tag_name\": \"\(tag)\", \"draft\": false, \"assets\": [\(assets.joined(separator: ","))]}]",
            to: page)
    }

    private func run(token: String = "t0ken") async throws -> ChildProcess.Result {
        let end = try await Segdl.run(
            ["mirror", "--retries", "1", "--retry-delay", "0.01", site + "o/r/releases", "copy"],
            in: directory,
            environment: [
                "GITHUB_SERVER_URL": site, "GITHUB_API_URL": nginx.url("api/"), "GITHUB_TOKEN": token,
            ])
        #expect(!(end.errors + end.output).contains("t0ken"))
        return end
    }

    @Test("is mirrored over all pages with a directory for each tag; the second run fetches nothing")
    func mirror() async throws {
        try write("page.json", tag: "v2", ["a.zip", "b.zip"])
        try write("page2.json", tag: "v1", ["a.zip"])
        let first = try await run()
        #expect(first.status == 0, "\(first.errors)")
        for path in ["v2/a.zip", "v2/b.zip", "v1/a.zip"] {
            #expect(try directory.read("copy/\(path)") == Self.content(path.replacing("/", with: "")))
        }
        let requests = nginx.accessLog
        #expect(requests.count { $0.contains("/download/") } == 3)

        let second = try await run()
        #expect(second.status == 0, "\(second.errors)")
        #expect(nginx.accessLog.dropFirst(requests.count).allSatisfy { $0.contains("/api/") })
    }

    @Test("does not publish a file whose digest differs from the API's")
    func wrong() async throws {
        try write("page.json", tag: "v2", ["a.zip", "b.zip"], digests: ["b.zip": Digest.sha256([])])
        try nginx.root.write("[]", to: "page2.json")
        let end = try await run()
        #expect(end.status == 1, "\(end.errors)")
        #expect(end.errors.contains("b.zip"))
        #expect(try TemporaryDirectory.names(of: directory.file("copy/v2")).contains("a.zip"))
        #expect(try !TemporaryDirectory.names(of: directory.file("copy/v2")).contains("b.zip"))
    }

    @Test("advises what to do about a refused token")
    func refused() async throws {
        try write("page.json", tag: "v2", ["a.zip"])
        let end = try await run(token: "another")
        #expect(end.status != 0)
        #expect(end.errors.contains("the token was refused"), "\(end.errors)")
    }
}
