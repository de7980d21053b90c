import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("The path of a download")
struct DestinationPathTests {
    private let directory: ScratchDirectory

    init() throws {
        directory = try ScratchDirectory()
    }

    private func request(_ url: String, _ destination: DownloadRequest.Destination) throws -> DownloadRequest
    {
        try DownloadRequest(url, to: destination)
    }

    @Test("a file's name is the caller's, whatever the server sends")
    func file() throws {
        let request = try request("http://host/a.iso", .file(directory.file("mine")))
        #expect(DestinationPath.expected(for: request) == directory.file("mine"))
        #expect(try DestinationPath.path(for: request, named: "theirs") == directory.file("mine"))
    }

    @Test("in a directory the server's name takes precedence over the URL's")
    func inDirectory() throws {
        let request = try request("http://host/a%20b.iso?x", .directory(directory.path))
        #expect(DestinationPath.expected(for: request) == directory.file("a b.iso"))
        #expect(try DestinationPath.path(for: request, named: "theirs") == directory.file("theirs"))
        #expect(try DestinationPath.path(for: request, named: nil) == directory.file("a b.iso"))
    }

    @Test("the MD5 of the URL is a name, with the extension of the path")
    func urlMD5() throws {
        var request = try request("http://host/a.iso?x", .directory(directory.path))
        request.naming = .urlMD5
        #expect(
            DestinationPath.expected(for: request) == directory.file("b669127fb1a7487eabec56a3643de273.iso"))
        #expect(
            try DestinationPath.path(for: request, named: "theirs")
                == directory.file("b669127fb1a7487eabec56a3643de273.iso"))
    }

    @Test(
        "a URL's name is sanitized",
        arguments: [
            ("http://host/a%2F..%2Fb", "b"), ("http://host/..%2f..%2fetc%2fpasswd", "passwd"),
            ("http://host/a%00b%0A", "a%00b%0A"), ("http://host/a%2F.git", ".git"),
            ("http://host/x.part", "x.part"), ("http://host/.part.segdl", ".part.segdl_"),
        ])
    func harmless(url: String, name: String) throws {
        let request = try request(url, .directory(directory.path))
        #expect(DestinationPath.expected(for: request) == directory.file(name))
    }

    @Test(
        "a URL's name keeps the dots at its ends",
        arguments: [
            ".gitignore", ".hidden", "%2Ehidden", "trailing.", ".both.", "...", ".tar.gz", "a.b.",
        ])
    func dots(name: String) throws {
        let request = try request("http://host/\(name)", .directory(directory.path))
        let path = directory.file(name.replacing("%2E", with: "."))
        #expect(DestinationPath.expected(for: request) == path)
        #expect(try DestinationPath.path(for: request, named: nil) == path)
    }

    @Test("a name of dots that leads up is discarded", arguments: ["a%2F..", "a%2F.", "a%5C.."])
    func leadsUp(name: String) throws {
        let request = try request("http://host/\(name)", .directory(directory.path))
        #expect(DestinationPath.expected(for: request) == nil)
    }

    @Test(
        "the rule decides between the server's names and the URL's",
        arguments: [
            (FileNaming.server, "http://h/latest", "sent", "final", "sent"),
            (.server, "http://h/latest", nil, "final", nil),
            (.server, "http://h/go/?q", nil, "final", "final"),
            (.server, "http://h/go/?q", "sent", "final", "sent"),
            (.server, "http://h/go/", nil, nil, nil),
            (.finalURL, "http://h/latest", "sent", "final", "sent"),
            (.finalURL, "http://h/latest", nil, "final", "final"),
            (.finalURL, "http://h/latest", nil, nil, "index.html"),
            (.url, "http://h/latest", "sent", "final", nil), (.url, "http://h/?q", "sent", "final", "final"),
            (.urlDigest, "http://h/latest", "sent", "final", nil),
            (.urlMD5, "http://h/?q", "sent", "final", nil),
        ] as [(FileNaming, String, String?, String?, String?)])
    func rules(
        naming: FileNaming, url: String, sent: String?, final: String?, name: String?
    ) throws {
        var request = try request(url, .directory("."))
        request.naming = naming
        var resource = ResourceInfo(
            length: 1, acceptsRanges: true, validators: Validators(etag: nil, lastModified: nil))
        (resource.fileName, resource.finalName) = (sent, final)
        #expect(resource.servedName(for: request) == name)
    }

    @Test(
        "without any name it is an error with a remedy",
        arguments: ["http://host/", "http://host", "http://host/a/"])
    func nameless(url: String) throws {
        let request = try request(url, .directory(directory.path))
        #expect(DestinationPath.expected(for: request) == nil)
        let error = try #require(throws: DownloadError.self) {
            try DestinationPath.path(for: request, named: nil)
        }
        #expect(error.code == .invalidURL)
        #expect(error.remedy == .fileName)
        #expect(try DestinationPath.path(for: request, named: "theirs") == directory.file("theirs"))
    }

    @Test("a missing directory is created once the server has responded")
    func makesDirectory() throws {
        let request = try request("http://host/x", .directory(directory.file("new/one")))
        #expect(DestinationPath.expected(for: request) == directory.file("new/one/x"))
        #expect(!directory.exists("new"))
        #expect(try DestinationPath.path(for: request, named: nil) == directory.file("new/one/x"))
        #expect(directory.exists("new/one"))
    }
}
