import SegmentedDL
import SystemPackage
import TestSupport
import Testing

@testable import segdl

@Suite("The files that a run writes besides its downloads")
struct RunOutputsTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func outputs(_ name: String) throws -> RunOutputs {
        try RunOutputs([("--log", nil), ("--failed", directory.file(name))])
    }

    @Test(
        "do not have the names of a download's files, existing or not, nor those of links to them",
        arguments: ["f", "f.part", "f.part.segdl", "f.part.move", "sub/../f", "./f", "link"])
    func same(name: String) throws {
        try directory.makeDirectory("sub")
        try directory.link("link", to: "f")
        for isThere in [false, true] {
            if isThere { try directory.write("", to: FilePath(name).lastComponent?.string ?? "f") }
            let outputs = try outputs(name)
            #expect(outputs.option(at: directory.filePath("f")) == "--failed" || name == "link" && !isThere)
            #expect(outputs.option(at: directory.filePath("other")) == nil)
            #expect(outputs.option(at: directory.filePath("sub/f")) == nil)
        }
    }

    @Test("are checked before the run, with the names in URLs")
    func requests() throws {
        let outputs = try outputs("f")
        for place in [
            DownloadRequest.Destination.file(directory.filePath("f")), .directory(FilePath(directory.path)),
        ] {
            let requests = try ["http://h/a", "http://h/f"].map { url in
                RunRequest.success(try DownloadRequest(url, to: place))
            }
            let error = try #require(throws: DownloadError.self) { try outputs.check(RunRequests(requests)) }
            #expect(error.exitStatus == 64 && error.message.contains("--failed"), "\(error)")
        }
        try outputs.check(RunRequests([.success(try DownloadRequest("http://h/a", to: .directory("other")))]))
    }

    @Test("keep their names if a server chooses them for a download")
    func taken() throws {
        let request = try DownloadRequest("http://h/a", to: .directory(FilePath(directory.path)))
        let names = RunNames(RunRequests([.success(request)]), outputs: try outputs("f"))
        #expect(names.take(directory.filePath("f"), for: 0) == .output(of: "--failed"))
        #expect(names.take(directory.filePath("g"), for: 0) == nil)
        let error = DownloadError.sameName("f", of: request.source, and: .output(of: "--failed"))
        #expect(error.message.contains("'f' is the file of --failed"))
    }

    @Test("have different names, except devices")
    func several() throws {
        let file = directory.file("f")
        #expect(throws: DownloadError.self) { try RunOutputs([("--log", file), ("--failed", file)]) }
        let outputs = try RunOutputs([("--log", "/dev/null"), ("--failed", "/dev/null")])
        #expect(outputs.option(at: "/dev/null") == nil)
    }
}
