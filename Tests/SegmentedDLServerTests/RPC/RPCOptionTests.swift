import SegmentedDLOptions
import Testing

@testable import SegmentedDLServer

@Suite struct RPCOptionTests {
    private func read(_ name: String, _ value: JSONValue) throws -> [String]? {
        let option = try #require(Aria2Options.named[name])
        return try option.values(value, usual: try #require(option.call).usual)
    }

    @Test(
        "sizes are read with K and M, and kept in bytes",
        arguments: [("0", "0"), ("300K", "307200"), ("2M", "2097152"), ("7", "7")])
    func sizes(text: String, bytes: String) throws {
        #expect(try read("max-download-limit", .string(text)) == [bytes])
    }

    @Test(
        "invalid values are refused",
        arguments: [
            ("split", "0"), ("split", "x"), ("max-connection-per-server", "17"), ("pause", "yes"),
            ("max-download-limit", "-1"), ("max-download-limit", "9999999999999999999M"),
            ("max-download-limit", "K"),
            ("file-allocation", "some"), ("referer", "a\r\nX: y"), ("out", "a\u{0}"),
        ])
    func senseless(name: String, value: String) {
        #expect(throws: RPCFailure("We encountered a problem while processing the option '--\(name)'.")) {
            try read(name, .string(value))
        }
    }

    @Test(
        "options shared by all downloads accept aria2's default, and other values get the reason of the refusal",
        arguments: [
            ("all-proxy", "", "http://p:1"), ("http-proxy", "", "http://p:1"),
            ("https-proxy", "", "http://p:1"),
            ("dry-run", "false", "true"), ("hash-check-only", "false", "true"),
            ("check-certificate", "true", "false"), ("parameterized-uri", "false", "true"),
            ("disable-ipv6", "false", "true"), ("stop", "0", "10"),
        ])
    func fixed(name: String, harmless: String, other: String) throws {
        #expect(try read(name, .string(harmless)) == [harmless])
        let error = #expect(throws: RPCFailure.self) { try read(name, .string(other)) }
        let problem = "We encountered a problem while processing the option '--\(name)'. "
        #expect(error?.message.hasPrefix(problem) == true && error?.message.hasSuffix(".") == true)
    }

    @Test("a flag without a value is true")
    func emptyFlag() throws {
        #expect(try read("continue", "") == ["true"])
        #expect(try read("continue", "false") == ["false"])
    }

    @Test("each default is a value of its option")
    func defaults() throws {
        for option in Aria2Options.all {
            guard let usual = option.call?.usual else { continue }
            #expect(try option.values(.string(usual), usual: usual) == [usual], "\(option.name)")
        }
    }

    @Test("a value of another type is ignored")
    func otherTypes() throws {
        #expect(try read("split", .integer(3)) == nil)
        #expect(try read("out", ["a"]) == nil)
    }

    @Test("headers are accepted as a list or as lines")
    func headers() throws {
        #expect(try read("header", ["A: 1", "B: 2"]) == ["A: 1", "B: 2"])
        #expect(try read("header", "A: 1\nB: 2") == ["A: 1", "B: 2"])
        for value in ["A: 1\r\nB: 2", "A: 1\nB: 2", "A: 1\rB: 2", "A: 1\u{0}B: 2"] {
            #expect(throws: RPCFailure.self) { try read("header", [.string(value)]) }
        }
        #expect(throws: RPCFailure.self) { try read("header", "A: 1\rB: 2") }
        #expect(try read("header", "A: 1\u{2028}B: 2") == ["A: 1\u{2028}B: 2"])
    }

    @Test(
        "options for files and programs of this machine are forbidden",
        arguments: [
            "log", "save-session", "on-download-complete", "rpc-secret", "conf-path", "input-file",
            "netrc-path",
            "save-cookies", "load-cookies", "private-key",
        ])
    func forbidden(name: String) {
        #expect(Aria2Option.isForbidden(name, "x"))
        #expect(Aria2Option.isForbidden(name, ["x"]))
        #expect(!Aria2Option.isForbidden(name, ""))
        #expect(Aria2Options.named[name]?.call == nil)
    }

    @Test(
        "clients may send aria2's default of a forbidden option",
        arguments: [
            ("enable-rpc", "true", "false"), ("daemon", "false", "true"), ("rpc-listen-all", "false", "true"),
        ])
    func harmless(name: String, usual: String, other: String) {
        #expect(!Aria2Option.isForbidden(name, .string(usual)))
        #expect(Aria2Option.isForbidden(name, .string(other)))
    }
}
