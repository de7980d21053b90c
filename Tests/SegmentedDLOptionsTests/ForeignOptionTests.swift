import SegmentedDL
import Testing

@testable import SegmentedDLOptions

@Suite("Options of other tools")
struct ForeignOptionTableTests {
    @Test("are in the table once")
    func once() {
        let names = ForeignOption.all.flatMap(\.names)
        #expect(names.count == Set(names).count)
        #expect(names.allSatisfy { ForeignOption.meaning(of: $0) != nil })
        #expect(ForeignOption.meaning(of: "--nonsense") == nil)
    }

    @Test("that segdl lacks suggest an alternative")
    func missing() {
        let texts = ForeignOption.all.compactMap { option in
            if case .missing(let text) = option.meaning { text } else { nil }
        }
        #expect(texts.count > 30 && texts.allSatisfy { $0.hasSuffix(".") })
    }

    @Test("of aria2 allow only the words that are read after the bar")
    func words() {
        let tables = [
            Aria2OptionTable.ofFile, Aria2OptionTable.ofRun, Aria2OptionTable.ofDaemon,
            Aria2OptionTable.withoutEffect, Aria2OptionTable.missing,
        ]
        for line in tables.flatMap({ $0.split(separator: "\n") }) {
            let name = String(line.prefix { $0 != " " })
            let words = line.split(separator: "|").dropFirst().flatMap { $0.split(separator: " ") }
            let known = ["list", "listed", "unmirrored", "call", "fixed", "one", "process", "owner", "fetch"]
            for word in words {
                #expect(known.contains(String(word.prefix(while: \.isLetter))), "\(line)")
                guard let option = Aria2Options.named[name] else { continue }
                if word.hasPrefix("fetch") { #expect(option.meaning != nil, "\(line)") }
                if word.hasPrefix("fixed") { #expect(option.call?.remedy?.hasSuffix(".") == true, "\(line)") }
            }
        }
    }

    @Test("of aria2 have defaults in calls that pass their own checks")
    func defaults() {
        for option in Aria2Options.all {
            guard let usual = option.call?.usual, option.call?.remedy == nil else { continue }
            #expect(option.fault(in: usual) == nil, "\(option.name)")
        }
    }
}

@Suite("aria2's sizes")
struct Aria2SizeTests {
    @Test(
        "are whole numbers with K and M",
        arguments: [
            ("0", 0), ("7", 7), ("300K", 307_200), ("2m", 2_097_152),
            ("9223372036854775807", Int64.max), ("1.5M", nil), ("1G", nil), ("K", nil), ("", nil),
            ("-1", nil), ("9999999999999999999M", nil), ("9007199254740993", 9_007_199_254_740_993),
        ] as [(String, Int64?)])
    func sizes(text: String, bytes: Int64?) {
        #expect(ByteSize.aria2(text)?.bytes == bytes)
    }

    @Test("of our own options stay below the range of sums")
    func large() {
        #expect(ByteSize(argument: "9223372036854775807") == nil)
        #expect(ByteSize(argument: "4611686018427387903")?.bytes == (1 << 62) - 1)
    }
}

@Suite("aria2's options of a file")
struct Aria2RequestTests {
    private func request(
        _ given: [String: [String]], _ defaults: Aria2Values.Defaults, _ uris: String...
    ) throws -> DownloadRequest {
        try Aria2Values(given, defaults: defaults).request(uris, to: .directory(path: "d"))
    }

    @Test("that are not given are aria2's on the command line, and the daemon's in a call")
    func defaults() throws {
        let command = try request([:], .command, "http://a/x", "http://b/x")
        #expect(command.segments == .fixed(2) && !command.keepsRemoteDate && command.ifExists == .rename)
        let call = try request([:], .call, "http://a/x", "http://b/x")
        #expect(call.segments == nil && call.keepsRemoteDate && call.ifExists == .rename)
        #expect(command.naming == .finalURL && call.naming == .finalURL)
    }

    @Test(
        "mean the same on the command line and in a call", arguments: [Aria2Values.Defaults.command, .call])
    func given(defaults: Aria2Values.Defaults) throws {
        let request = try request(
            [
                "split": ["8"], "max-connection-per-server": ["4"], "max-download-limit": ["4K"],
                "header": ["A: b", "Range: bytes=1-"], "referer": ["*"], "http-user": ["me"],
                "allow-overwrite": ["true"], "remove-control-file": ["true"], "remote-time": ["false"],
                "continue": ["true"], "stream-piece-selector": ["inorder"], "http-no-cache": ["true"],
            ], defaults, "ftp://a/x", "http://a/x?q", "nonsense")
        #expect(request.segments == .fixed(4) && request.rate == 4096 && request.mirrors.isEmpty)
        #expect(
            request.headers == [HTTPHeader("A", "b"), HTTPHeader("Referer", "http://a/x?q")]
                + Aria2Values.noCache)
        #expect(request.credentials == Credentials(user: "me", password: ""))
        #expect(request.ifExists == .replace && request.startsOver && request.takesOver)
        #expect(!request.keepsRemoteDate && request.order == .inOrder)
    }

    @Test("reflect a request, and make the same request again")
    func backAndForth() throws {
        var request = try request([:], .call, "http://a/x", "http://b/x")
        let urls = ["http://a/x", "http://b/x"]
        #expect(try Aria2Values(of: request).request(urls, to: request.destination) == request)
        for policy in [ExistingFilePolicy.fail, .rename, .replace, .update] {
            request.ifExists = policy
            #expect(try Aria2Values(of: request).request(urls, to: request.destination) == request)
        }
        request.segments = .fixed(3)
        request.rate = 4096
        request.headers = [HTTPHeader("A", "b"), HTTPHeader("Referer", "http://r/")]
        request.credentials = Credentials(user: "me", password: "pw")
        request.takesOver = true
        request.keepsRemoteDate = false
        request.order = .inOrder
        #expect(try Aria2Values(of: request).request(urls, to: request.destination) == request)
    }

    @Test("are refused with the reason for the first URL if none can be fetched")
    func refused() {
        for (uri, words) in [
            ("ftp://a/x", "http and https are"), ("magnet:?x", "use another program for torrents"),
        ] {
            for defaults in [Aria2Values.Defaults.command, .call] {
                let error = #expect(throws: DownloadError.self) { try request([:], defaults, uri, "http://") }
                #expect(error?.code == .invalidURL && error?.message.contains(words) == true, "\(uri)")
            }
        }
    }
}
