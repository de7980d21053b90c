import Foundation
import TestContent
import TestSupport
import Testing

@Suite("segdl fetch next to aria2's control file")
struct Aria2ControlFileTests {
    @Test(
        "removes aria2's control file once the file is complete, so that a repeated command has nothing to do",
        arguments: [["-c"], ["--if-exists", "replace"]])
    func controlFile(words: [String]) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let content = TestContent(seed: 1).bytes(0..<3_000_000)
        try Data(content[..<2_000_000]).write(to: URL(filePath: directory.file("f")))
        try directory.write("aria2's state", to: "f.aria2")
        let line = words + [server.url("plain", 3_000_000, name: "f")]
        let result = try await Segdl.run(line, in: directory)
        #expect(result.status == 0 && result.errors.contains("f.aria2' is no longer needed"), "\(result)")
        #expect(directory.names == ["f"])
        #expect(try directory.read("f") == content)
        let again = try await Segdl.run(line, in: directory)
        #expect(again.status == 0 && again.errors.contains("exists, unchanged"), "\(again)")
    }

    @Test("fetches from the start if aria2 has only reserved the space", arguments: ["plain", "no-ranges"])
    func reservedRoom(behaviour: String) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        try Data(count: 3_000_000).write(to: URL(filePath: directory.file("f")))
        let line = ["-c", server.url(behaviour, 3_000_000, name: "f")]
        let zeros = try await Segdl.run(line, in: directory)
        #expect(zeros.status == 5 && directory.names == ["f"], "\(zeros)")
        try directory.write("aria2's state", to: "f.aria2")
        let result = try await Segdl.run(line, in: directory)
        #expect(result.status == 0, "\(result)")
        #expect(result.errors.contains("starting over, because aria2 has only reserved space for it"))
        #expect(directory.names == ["f"])
        #expect(try directory.read("f") == TestContent(seed: 1).bytes(0..<3_000_000))
    }

    @Test("resumes a few bytes at the beginning of the space that aria2 has reserved", arguments: [1, 2])
    func reservedRoomBegun(seed: UInt64) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let reserved = TestContent(seed: seed).bytes(0..<50_000) + [UInt8](repeating: 0, count: 2_950_000)
        try Data(reserved).write(to: URL(filePath: directory.file("f")))
        try directory.write("aria2's state", to: "f.aria2")
        let result = try await Segdl.run(["-c", server.url("plain", 3_000_000, name: "f")], in: directory)
        #expect(result.status == (seed == 1 ? 0 : 5), "\(result)")
        #expect(directory.names == (seed == 1 ? ["f"] : ["f", "f.aria2"]))
        let content = seed == 1 ? TestContent(seed: 1).bytes(0..<3_000_000) : reserved
        #expect(try directory.read("f") == content)
    }

    @Test("keeps aria2's control file if the file is not the server's")
    func foreignControlFile() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        try directory.write(String(repeating: "other", count: 20_000), to: "f")
        try directory.write("aria2's state", to: "f.aria2")
        let result = try await Segdl.run(["-c", server.url("plain", 3_000_000, name: "f")], in: directory)
        #expect(result.status == 5, "\(result)")
        #expect(directory.names == ["f", "f.aria2"])
    }
}
