import Foundation
import TestContent
import TestSupport
import Testing

@testable import segdl

@Suite("The guide for users of other tools")
struct SwitchingTests {
    private static func page() throws -> String {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../docs/switching.md")
        return try String(contentsOf: page, encoding: .utf8)
    }

    /// The command lines in the second column of the page's first table that fetch a file.
    private static func lines() throws -> [String] {
        let rows = try page().split(separator: "\n").prefix { !$0.hasPrefix("## ") }.filter {
            $0.hasPrefix("| `")
        }
        return rows.compactMap { row in
            let line = row.replacingOccurrences(of: "\\|", with: "\u{1}").split(separator: "|").last
            return line.map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
        }.filter { !$0.hasPrefix("segdl mirror") }
    }

    @Test("names each option that has a different name here")
    func names() throws {
        let page = try Self.page()
        for (name, own) in ForeignOptions.values {
            let row = page.split(separator: "\n").first { $0.hasPrefix("| `\(own)` |") }
            #expect(row?.contains("`\(name)`") ?? false, "\(name)")
        }
        for name in ForeignOptions.flags.keys { #expect(page.contains("`\(name)`"), "\(name)") }
        let words = Set(page.split(whereSeparator: \.isWhitespace).map { $0.prefix { $0 != "=" } })
        for name in ForeignOptions.defaults.union(ForeignOptions.valuedDefaults) {
            #expect(words.contains(name[...]), "\(name)")
        }
    }

    @Test("shows commands that fetch the file")
    func work() async throws {
        let lines = try Self.lines()
        #expect(lines.count > 15)
        for line in lines {
            let server = try await SharedServer.scenario()
            let directory = try TemporaryDirectory()
            let url = server.url("plain", 1000, name: "f")
            try directory.write(url, to: "list.txt")
            let content = TestContent(seed: 1).bytes(0..<1000)
            try Data(content).write(to: URL(filePath: directory.file("sum")))
            let sum = try await ChildProcess("/usr/bin/sha256sum", [directory.file("sum")]).result().output
            try directory.remove("sum")
            // The proxy does not exist; the server itself accepts requests to a proxy as well.
            let command = line.replacingOccurrences(of: "URL", with: "'\(url)'")
                .replacingOccurrences(of: "HEX", with: String(sum.prefix(64)))
                .replacingOccurrences(of: "-x http://proxy:8080 ", with: "")
                .replacingOccurrences(of: "\u{1} tar x", with: "> f")
                .replacingOccurrences(of: "segdl ", with: "'\(Segdl.path)' ")
            let result = try await ChildProcess(
                "/bin/sh", ["-c", command], directory: directory.path
            ).result()
            #expect(result.status == 0, "\(line): \(result)")
            let places = ["f", "out/f"].filter(directory.exists)
            #expect(places.count == 1, "\(line): \(directory.names)")
            if let place = places.first { #expect(try directory.read(place) == content, "\(line)") }
        }
    }
}
