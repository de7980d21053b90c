import SegmentedDL
import SegmentedDLMirror
import SystemPackage
import TestContent
import TestSupport
import Testing

@Suite("A name that a server chose")
struct HostileNameTests {
    /// Downloads into `inside`, a directory in the test's own directory.
    private func names(_ disposition: String) async throws -> (inside: [String], outside: [String]) {
        let fixture = try await DownloadFixture()
        let query = "disposition=\(disposition)"
        var request = try DownloadRequest(
            fixture.server.url("plain", 1000, name: "url.bin", query),
            to: .directory(fixture.directory.filePath("inside")))
        request.ifExists = .rename
        _ = try await fixture.download(request)
        return (try TemporaryDirectory.names(of: fixture.directory.file("inside")), fixture.directory.names)
    }

    @Test(
        "stays in the directory, whatever it is",
        arguments: [
            ("attachment;filename=%22../../evil%22", "evil"),
            ("attachment;filename=%22/etc/passwd%22", "passwd"),
            ("attachment;filename=%22..%5C%5C..%5C%5Cevil%22", "evil"),
            ("attachment;filename=%22..%22", "url.bin"),
            ("attachment;filename=%22.bashrc%22", "bashrc"),
            ("attachment;filename*=UTF-8''..%252F..%252Fevil", "evil"),
            ("attachment;filename*=UTF-8''na%25C3%25AFve.txt", "naïve.txt"),
            ("attachment;filename=%22other.part%22", "other.part"),
            ("attachment;filename=%22other.part.segdl%22", "other.part.segdl_"),
            ("attachment;filename=%22a%252Fb%22", "a%2Fb"),
        ])
    func contained(disposition: String, expected: String) async throws {
        let names = try await names(disposition)
        #expect(names.inside == [expected])
        #expect(names.outside == ["inside"])
    }

    @Test(
        "does not lead through a symbolic link", arguments: ["url.bin", "url.bin.part", "url.bin.part.segdl"])
    func symbolicLinks(link: String) async throws {
        let fixture = try await DownloadFixture()
        try fixture.directory.write("precious", to: "precious")
        try fixture.directory.makeDirectory("inside")
        try fixture.directory.link("inside/\(link)", to: fixture.directory.file("precious"))
        let url = fixture.server.url("plain", 2_000_000, name: "url.bin")
        var request = try DownloadRequest(url, to: .directory(fixture.directory.filePath("inside")))
        request.ifExists = .replace
        do {
            _ = try await fixture.download(request)
            // The link was replaced, not its target.
            #expect(link == "url.bin")
        } catch let error as DownloadError {
            #expect(error.exitStatus == 5, "\(error)")
            #expect(link != "url.bin")
        }
        #expect(try fixture.directory.read("precious") == Array("precious".utf8))
    }
}
