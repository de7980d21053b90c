import ArgumentParser
import SegmentedDL
import SystemPackage
import Testing

@testable import segdl

@Suite("The requests of a run")
struct FetchRequestTests {
    private func requests(_ arguments: String...) throws -> @Sendable (NamedFile) -> RunRequest {
        let fetch = try Fetch.parse(arguments)
        let files = fetch.files
        return try fetch.requests(
            to: FileOptions.place(output: files.output, directory: files.directory), fetch.s3.resolver())
    }

    @Test("have the options of the command line, overridden by those of the list")
    func options() throws {
        let requests = try requests(
            "-d", "isos", "-H", "A: 1", "--if-exists", "skip", "--restart", "http://host/a")
        let plain = try requests(NamedFile(url: "http://host/a")).get()
        #expect(plain.destination == .directory("isos"))
        #expect(plain.headers.map(\.name) == ["A"])
        #expect(plain.ifExists == .skip)
        #expect(plain.startsOver)
        #expect(!plain.makesDirectory)
        var options = InputOptions()
        try options.take("out=b.iso")
        try options.take("header=B: 2")
        let listed = try requests(
            NamedFile(url: "http://host/b", mirrors: ["http://mirror/b"], options: options)
        ).get()
        #expect(listed.destination == .file("isos/b.iso"))
        #expect(listed.headers.map(\.name) == ["A", "B"])
        #expect(listed.mirrors.map(\.description) == ["http://mirror/b"])
        #expect(listed.makesDirectory)
    }

    @Test("several hosts can have the command line's number of connections")
    func segments() throws {
        let file = NamedFile(url: "http://host/a")
        #expect(try requests("-s", "3", "http://host/a")(file).get().segments == nil)
        let several = try requests("-s", "3", "--mirror", "http://mirror/a", "http://host/a")
        #expect(try several(file).get().segments == .fixed(3))
    }

    @Test("an unusable line is reported with its location")
    func wrongLine() throws {
        let requests = try requests("http://host/a")
        let wrong = requests(NamedFile(url: "it is wrong", place: "list:3", isWrong: true))
        #expect(wrong.shownURL == "list:3")
        #expect(throws: DownloadError.self) { try wrong.get() }
        let bad = requests(NamedFile(url: "ftp://host/a", place: "list:4"))
        guard case .failure(let error) = bad else { throw Unexpected() }
        #expect(error.message.hasPrefix("list:4: "))
    }

    private struct Unexpected: Error {}
}
