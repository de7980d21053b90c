import ArgumentParser
import SegmentedDL
import SystemPackage
import Testing

@testable import segdl

@Suite("The template of a run's requests")
struct RequestTemplateTests {
    private func template(_ arguments: String...) throws -> RequestTemplate {
        let fetch = try Fetch.parse(arguments)
        let files = fetch.files
        return RequestTemplate(
            fetch, to: FileOptions.place(output: files.output, directory: files.directory))
    }

    @Test("gives each file the options of the command line, and its list's own before them")
    func options() throws {
        let template = try template(
            "-d", "isos", "-H", "A: 1", "--if-exists", "skip", "--restart", "http://host/a")
        let plain = try template.request(for: NamedFile(url: "http://host/a"))
        #expect(plain.destination == .directory("isos"))
        #expect(plain.headers.map(\.name) == ["A"])
        #expect(plain.ifExists == .skip)
        #expect(plain.startsOver)
        #expect(!plain.makesDirectory)
        var options = InputOptions()
        try options.take("out=b.iso")
        try options.take("header=B: 2")
        let listed = try template.request(
            for: NamedFile(url: "http://host/b", mirrors: ["http://mirror/b"], options: options))
        #expect(listed.destination == .file("isos/b.iso"))
        #expect(listed.headers.map(\.name) == ["A", "B"])
        #expect(listed.mirrors.map(\.description) == ["http://mirror/b"])
        #expect(listed.makesDirectory)
    }

    @Test("several hosts may have the number of connections of the command line")
    func segments() throws {
        let file = NamedFile(url: "http://host/a")
        #expect(try template("-s", "3", "http://host/a").request(for: file).segments == nil)
        let several = try template("-s", "3", "--mirror", "http://mirror/a", "http://host/a")
        #expect(try several.request(for: file).segments == .fixed(3))
    }

    @Test("a line that cannot be used is named with its place")
    func wrongLine() throws {
        let template = try template("http://host/a")
        let wrong = FetchItem(NamedFile(url: "it is wrong", place: "list:3", isWrong: true), template)
        #expect(wrong.url == "list:3")
        #expect(throws: DownloadError.self) { try wrong.request.get() }
        let bad = FetchItem(NamedFile(url: "ftp://host/a", place: "list:4"), template)
        guard case .failure(let error) = bad.request else { throw Unexpected() }
        #expect(error.message.hasPrefix("list:4: "))
    }

    private struct Unexpected: Error {}
}
