import TestContent
import TestSupport
import Testing

@testable import segdl

/// Runs the real command with each row of the table of options. A new row needs a value here. Serialized: a
/// hundred concurrent processes would slow down the other tests.
@Suite("Each option of other tools, as the real command takes it", .serialized)
struct ForeignOptionTests {
    /// Values of segdl's options.
    private static let values = [
        "--user": "a:b", "--user-agent": "agent", "--referer": "http://r/", "--directory": "d",
        "--retries": "1", "--connect-timeout": "5", "--low-speed-limit": "1", "--low-speed-time": "5",
        "--retry-delay": "1", "--max-redirects": "3", "--output": "f", "--input": "list", "--segments": "2",
        "--max-connections-per-host": "2", "--min-segment-size": "1M", "--max-active-files": "2",
        "--limit-rate": "1M", "--limit-rate-per-file": "1M", "--cookie-file": "jar", "--no-proxy": "*",
        "--netrc-file": "netrc", "--cacert": "pem", "--cert-type": "PEM", "--key-type": "PEM",
        "--interface": "127.0.0.1", "--log": "log",
    ]

    /// Runs a command line, and expects that it fetches the file.
    private func fetches(_ words: [String], isDry: Bool = false) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let url = server.url("plain", 100, name: "f")
        try directory.write("\(url)\n", to: "list")
        try directory.write("127.0.0.1\tFALSE\t/\tFALSE\t0\tname\tvalue\n", to: "jar")
        try directory.write("default login a password b\n", to: "netrc")
        try directory.write("", to: "pem")
        let result = try await Segdl.run(words + (words.last == "list" ? [] : [url]), in: directory)
        #expect(result.status == 0, "\(words): \(result)")
        let places = ["f", "d/f"].filter(directory.exists)
        #expect(places.count == (isDry ? 0 : 1), "\(words): \(directory.names)")
        if let place = places.first {
            #expect(try directory.read(place) == TestContent(seed: 1).bytes(0..<100), "\(words)")
        }
    }

    /// Runs a command line, and expects that the host cannot be reached.
    private func fails(_ words: [String], _ says: String, status: Int32 = 2) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let line = words + ["--retries", "0", server.url("plain", 100, name: "f")]
        let result = try await Segdl.run(line, in: directory)
        #expect(result.status == status && result.errors.contains(says), "\(words): \(result)")
        #expect(directory.names.isEmpty)
    }

    @Test("with a value", arguments: ForeignOptions.values.keys.sorted())
    func valued(name: String) async throws {
        let own = try #require(ForeignOptions.values[name])
        if own == "--proxy" { return try await fails([name, "http://127.0.0.1:1"], "the proxy 127.0.0.1:1") }
        // The files are checked before any request; `ClientCertificateTests` uses valid ones.
        if own == "--cert" {
            return try await fails([name, "no.pem"], "cannot read the client's certificate", status: 64)
        }
        if own == "--key" { return try await fails([name, "no.pem"], "--cert FILE", status: 64) }
        let value = try #require(Self.values[own], "\(own) needs a value in this test")
        try await fetches([name, value])
    }

    @Test("without one", arguments: ForeignOptions.flags.keys.sorted() + ForeignOptions.defaults.sorted())
    func flag(name: String) async throws {
        // The server has an IPv4 address.
        if ForeignOptions.flags[name] == ["-6"] {
            return try await fails([name], "only IPv6 is allowed", status: 64)
        }
        try await fetches([name], isDry: ForeignOptions.flags[name] == ["--dry-run"])
    }

    @Test("that has no effect", arguments: ForeignOptions.valuedDefaults.sorted())
    func valuedDefault(name: String) async throws {
        try await fetches(["\(name)=1"])
    }

    @Test("that is unsupported", arguments: ForeignOptions.missing.keys.sorted())
    func missing(name: String) async throws {
        let directory = try TemporaryDirectory()
        let url = "http://127.0.0.1:1/x"
        // With a value -b is curl's cookie.
        let words = name == "-b" ? [url, name] : [name, "x", url]
        let result = try await Segdl.run(["fetch"] + words, in: directory)
        if name == "-V" { return }
        let sentence = try #require(ForeignOptions.missing[name])
        #expect(result.status == 64 && result.errors.contains(sentence), "\(result)")
    }
}
