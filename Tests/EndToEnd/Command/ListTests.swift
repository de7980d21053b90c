import Foundation
import SegmentedDL
import SystemPackage
import TestContent
import TestSupport
import Testing

@Suite("Lists of segdl fetch")
struct ListTests {
    @Test("resumes an interrupted list until it is complete, and then has nothing to do")
    func listAgain() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let sizes = [1000, 40_000, 3_000_000, 200_000, 5_000_000, 1]
        // However slow the machine is, the first run cannot finish: the end of its longest file is held back.
        let urls = sizes.enumerated().map { index, size in
            server.url(
                "plain", Int64(size), name: "f\(index)", "rate=2000000\(index == 4 ? "&hold-tail=2000" : "")")
        }
        try directory.write(urls.joined(separator: "\n"), to: "list")
        let arguments = ["fetch", "-j", "2", "-i", "list"]
        let first = try Segdl.start(arguments, in: directory)
        try await directory.waitFor("f0")
        first.send(SIGINT)
        #expect(await first.result().signal == SIGINT)
        try await server.release()
        for _ in 1...2 {
            let again = try await Segdl.run(arguments, in: directory)
            #expect(again.status == 0, "\(again.errors)")
            #expect(again.errors.contains("f0: exists"), "\(again.errors)")
        }
        for (index, size) in sizes.enumerated() {
            let mismatch = try TestContent(seed: 1).firstMismatch(
                inFile: directory.file("f\(index)"), length: Int64(size))
            #expect(mismatch == nil)
        }
    }

    @Test("writes the missing files as a list with their options, which another run reads")
    func missing() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let right = server.url("plain", 1_000, name: "right")
        let later = server.url("status", 2_000, name: "later", "code=404")
        let wrong = String(repeating: "0", count: 32)
        let list = """
            \(right)
            \(later)
              out=b.bin
              dir=sub
              header=X-Secret: s3cret
              expect-type=application/*
            ftp://host/file
            \(right)&other
              checksum=md5=\(wrong)
              out=c.bin
            """
        try directory.write(list + "\n", to: "list")
        let first = try await Segdl.run(["fetch", "-i", "list", "--failed", "missing"], in: directory)
        #expect(first.status != 0, "\(first)")
        func missing() throws -> String { String(decoding: try directory.read("missing"), as: UTF8.self) }
        let written = try missing().split(separator: "\n").map(String.init)
        #expect(
            written.count == 9
                && written[1...4].sorted() == [
                    " dir=sub", " expect-type=application/*", " header=X-Secret: s3cret", " out=b.bin",
                ], "\(written)")
        #expect(written[0] == list.split(separator: "\n")[1] && written[5].contains("ftp://host/file"))
        let mode = try FileManager.default.attributesOfItem(atPath: directory.file("missing"))
        #expect(mode[.posixPermissions] as? Int == 0o600)

        // Now the file exists.
        try directory.write(missing().replacing("/status/", with: "/plain/"), to: "missing")
        let before = try await server.requests().count
        _ = try await Segdl.run(["fetch", "-i", "missing", "--failed", "missing"], in: directory)
        let paths = try await server.requests().dropFirst(before).map(\.target)
        #expect(!paths.contains { $0.contains("/right") && !$0.contains("other") }, "\(paths)")
        #expect(
            try TestContent(seed: 1).firstMismatch(inFile: directory.file("sub/b.bin"), length: 2_000) == nil)
        #expect(try missing().contains("out=c.bin") && !(try missing().contains("out=b.bin")))
    }

    @Test(
        "a list of missing files that cannot be written is an error with a sentence",
        arguments: [("full", "no space left"), (".", "is a directory"), ("sub", "is a directory")])
    func unwritable(name: String, reason: String) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        // Never the device itself: earlier versions replaced it.
        try directory.link("full", to: "/dev/full")
        try directory.makeDirectory("sub")
        let url = server.url("status", 10, name: "gone", "code=404")
        let result = try await Segdl.run(["fetch", "--failed", name, url], in: directory)
        #expect(result.status == 5 && result.errors.lowercased().contains(reason), "\(result)")
        #expect(result.errors.contains("segdl: Cannot write") && !result.errors.contains("StorageError"))
        #expect(try directory.filePath("full").linkTarget() == "/dev/full")
        #expect(directory.names == ["full", "sub"])
    }

    @Test(
        "a list, a log or a trace with the name of a download is refused before anything is written",
        arguments: ["failed", "log", "trace"], ["f", "f.part", "f.part.segdl"])
    func sameName(option: String, name: String) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let url = server.url("plain", 1000, name: "x")
        let result = try await Segdl.run(["fetch", "--\(option)", name, "-o", "f", url], in: directory)
        #expect(result.status == 64 && result.errors.contains("--\(option)"), "\(result)")
        #expect(directory.names.isEmpty)
        #expect(try await server.requests().isEmpty)
    }

    @Test("a trace or a log that cannot be written is reported", arguments: ["trace", "log"])
    func fullTrace(option: String) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        try directory.link("full", to: "/dev/full")
        let result = try await Segdl.run(
            ["fetch", "--\(option)", "full", server.url("plain", 1000, name: "f")], in: directory)
        #expect(result.status == 0 && directory.names == ["f", "full"], "\(result)")
        #expect(result.errors.contains("segdl: Cannot write to the \(option) 'full'"), "\(result)")
    }

    @Test("continues with the other files after an invalid line, which it reports")
    func lists() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let list = """
            \u{feff}# a comment
            \(server.url("plain", 1000, name: "one"))

            ftp://host/file
            \(server.url("plain", 2000, name: "two"))
            not a url
            \(server.url("status", 10, name: "three", "code=404"))
            """
        let result = try await Segdl.run(["fetch", "-d", "new/deep", "-i", "-"], in: directory, input: list)
        #expect(result.status == 1)
        #expect(result.errors.contains("-:4: 'ftp://host/file'"))
        #expect(result.errors.contains("-:6:"))
        #expect(result.errors.contains("404"))
        #expect(try directory.read("new/deep/one").count == 1000)
        #expect(try directory.read("new/deep/two").count == 2000)
        #expect(directory.names == ["new"])
    }

    @Test("a list sets each file's destination, expected content and headers")
    func listOptions() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let one = server.url("plain", 1000, name: "one")
        let wrong = String(repeating: "0", count: 64)
        let list = """
              out=nowhere
            \(one)
              out=sub/first
              dir=into
              checksum=sha256=\(try await Segdl.sha256(of: one))
              header=X-Test: 1
              # a comment
              referer=http://from/
              split=5
            \(server.url("plain", 2000, name: "two"))
             out=../two
            \(server.url("plain", 3000, name: "three"))
            \tbogus=x
            \(server.url("plain", 4000, name: "four"))
             checksum=sha256=\(wrong)
            \(server.url("plain", 5000, name: "five"))\t\(server.url("plain", 5000, name: "other"))
             out=fifth
            """
        try directory.write(list, to: "list")
        let result = try await Segdl.run(["fetch", "-d", "usual", "-i", "list"], in: directory)
        #expect(result.status == 1)
        for place in ["list:1: an option precedes", "list:11: ", "list:13: the option 'bogus'"] {
            #expect(result.errors.contains(place), "\(result.errors)")
        }
        #expect(try directory.read("into/sub/first").count == 1000)
        #expect(try directory.read("usual/fifth").count == 5000)
        let requests = try await server.requests()
        let first = try #require(requests.last { $0.target.contains("/one?") })
        #expect(first.headers["x-test"] == "1" && first.headers["referer"] == "http://from/")
        #expect(!requests.contains { $0.target.contains("/two?") || $0.target.contains("/three?") })
        #expect(requests.contains { $0.target.contains("/four?") })
        #expect(!directory.exists("usual/four") && !directory.exists("two"))
    }
}
