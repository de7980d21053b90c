import Foundation
import SystemPackage
import TestContent
import TestSupport
import Testing

@testable import SegmentedDL

/// The same list twice: once with the fast path of small files, and once without.
@Suite("Faults of answers for small files", .timeLimit(.minutes(10)))
struct SmallFileFaultTests {
    /// The end of a file, as a program sees it.
    private struct End: Hashable, Decodable {
        var event: String
        var url: String?
        var name: String?
        var outcome: String?
        var code: Int?
        var exitStatus: Int?
        var bytes: Int64?
        var bytesWritten: Int64?
        var endProven: Bool?
        var page: String?
        var reason: String?
        var connections: Int?
        var verified: [String]?
        var message: String?

        enum CodingKeys: String, CodingKey {
            case event, url, name, outcome, code, bytes, page, reason, connections, verified, message
            case exitStatus = "exit_status"
            case bytesWritten = "bytes_written"
            case endProven = "end_proven"
        }
    }

    /// A file of the directory.
    private struct Stored: Hashable {
        var bytes: Data
        /// Nanoseconds since 1970, if the server has stated a date.
        var modified: Int64
        var hasMark: Bool
    }

    private struct Run {
        var ends: [String: End]
        var stored: [String: Stored]
        var status: Int32?
        var messages: [String]

        /// The files that have entered the fast path, and those that left it. A queue has several runs of it.
        var counts: (entered: Int, left: Int) {
            messages.compactMap(SmallFileFaultTests.counts).reduce((0, 0)) {
                ($0.0 + $1.entered, $0.1 + $1.left)
            }
        }
    }

    private static let size: Int64 = 3000
    private static let files = 400

    /// Behaviours of the server for some files; all others are plain.
    private static let faults: [(behaviour: String, query: String)] = [
        ("no-ranges", ""), ("no-length", ""), ("chunked", ""), ("chunked-ranges", ""),
        ("chunked-trailer", ""),
        ("chunked-truncated", ""), ("close-truncated", ""), ("chunked-garbage", "times=2"),
        ("no-length-ranges", ""), ("no-length-truncated", "how=reset"), ("ranges-under-200", ""),
        ("ranges-under-200", "silent=1"), ("ranges-refused", "code=403"), ("ranges-refused", "code=500"),
        ("ranges-refused", "empty=length"), ("ranges-refused", "empty=chunked"), ("ranges-refused", "code=0"),
        ("coding-refused", ""), ("short-ranges", "most=1000"), ("wrong-start", "times=1&first=1"),
        ("open-end", ""), ("wrong-end", "first=1&times=1"), ("wrong-total", "first=1&times=1"),
        ("no-content-range", "first=1&times=1"), ("no-content-range", "first=1"),
        ("garbled-content-range", "first=1&times=1"), ("no-total", "first=1"),
        ("two-content-ranges", "first=1"), ("negative-content-range", "first=1"), ("multipart", "first=1"),
        ("encoded", "first=1"), ("encoded", "first=1&whole=1"), ("short-body", "times=1"),
        ("short-body", "at=0&times=1"), ("short-body", ""), ("long-body", ""), ("long-body", "answer=1"),
        ("huge-length", "times=1"), ("garbled-length", "times=1"), ("garbled-length", "whole=1"),
        ("garbled-length", "whole=1&value=3000,%203000"), ("garbled-length", "whole=1&value=%2B3000"),
        ("chunked-with-length", ""), ("chunked-with-length", "whole=1"), ("contradicting-length", "times=1"),
        ("contradicting-length", "by=-7&times=1"), ("status", "code=404"), ("status", "code=403"),
        ("status", "code=401"), ("status", "code=410"), ("status", "code=500&times=1"),
        ("status", "code=202&times=1"), ("status", "code=302"), ("status", "code=418"),
        ("status", "code=204"),
        ("status", "code=304&times=1"), ("status", "code=416&times=1"), ("reset", ""), ("reset", "at=0"),
        ("hang-up-before-head", ""), ("redirect", ""), ("redirect-loop", ""), ("redirect-nowhere", ""),
        ("redirect-chain", ""), ("redirect-cookie", ""), ("signed", ""), ("interim", ""),
        ("interim", "n=9"), ("extra-field", "field=Content-Length:7"),
        ("extra-field", "whole=1&field=Content-Length:3000"), ("extra-field", "field=Via:1.1%20proxy"),
        ("extra-field", "field=Content-MD5:AAAAAAAAAAAAAAAAAAAAAA==&whole=1"),
        ("status-line", "end="), ("bare-lf", ""), ("http10", ""), ("folded", ""),
        ("odd-version", ""), ("garbage-head", "times=1"), ("no-head", "times=1"), ("cut-head", "times=1"),
        ("long-head", ""), ("nul-in-head", "times=1"), ("auth", "u=u&p=p"),
        ("plain", "disposition=attachment"),
        ("plain", "disposition=attachment;filename=given.bin"), ("plain", "ctype=text/html"),
        ("plain", "ctype=text/plain"), ("plain", "etag=none&lm=none"), ("plain", "etag=weak"),
        ("plain", "close=1"), ("plain", "delay=200"), ("plain", "lm=banana"),
        ("changing", ""), ("rotating", ""), ("plain", "header=Set-Cookie:a=b"),
    ]

    /// A way to name the files, and what they are requested with.
    enum Entrance: CaseIterable {
        case list
        /// Over TLS.
        case secureList
        /// Each file with a digest, which is wrong for some.
        case digests
        /// The same over TLS.
        case secureDigests
        /// In HTTP/2, which nginx speaks in front of the server.
        case http2
        case mirror
        /// A mirror of files with digests, over TLS.
        case mirroredDigests
        case queue
        /// A queue whose closures supply a header field for each file with a digest.
        case authorizedQueue

        var hasDigests: Bool {
            [.digests, .secureDigests, .mirroredDigests, .authorizedQueue].contains(self)
        }

        var command: [String] {
            switch self {
            case .list, .secureList, .digests, .secureDigests, .http2: ["fetch", "-i", "list", "-d", "d"]
            case .mirror, .mirroredDigests: ["mirror", "--format", "urls", "list", "d"]
            case .queue: ["queue", "start", "--queue", "q.sqlite"]
            case .authorizedQueue: ["queue", "start", "--queue", "q.sqlite", "-H", "X-Test: 1"]
            }
        }

        /// The command that runs before it.
        var preparation: [String]? {
            switch self {
            case .queue, .authorizedQueue: ["queue", "add", "--queue", "q.sqlite", "-d", "d", "-i", "list"]
            default: nil
            }
        }
    }

    /// Every third file behind the first hundred has a fault, so that those before show that the host sends
    /// small files.
    private static func fault(of number: Int) -> (behaviour: String, query: String)? {
        guard number >= 100, number % 3 == 0, (number - 100) / 3 < faults.count else { return nil }
        return faults[(number - 100) / 3]
    }

    /// The fault of the file with a name.
    private static func fault(of name: some StringProtocol) -> (behaviour: String, query: String)? {
        Int(name.dropFirst().prefix { $0.isNumber }).flatMap { fault(of: $0) }
    }

    /// The line with a file's digest, which is wrong for every eleventh.
    private static func digest(of number: Int) throws -> String {
        let content = TestContent(seed: number % 11 == 5 ? 2 : 1).bytes(0..<size)
        let digest = try #require(try Expectations(wantsSHA256: true).digests(of: content).first)
        return " checksum=sha-256=\(digest.hexadecimal)"
    }

    /// The server with faults, and what an entrance has in front of it.
    private struct Front {
        let entrance: Entrance
        let authority: TestAuthority
        let tls: TLSFront
        let nginx: Nginx
        private let base: String

        init(_ entrance: Entrance) async throws {
            self.entrance = entrance
            let server = try await SharedServer.scenario()
            base = server.base
            authority = try await TestAuthority()
            tls = try await TLSFront(before: server.server, authority)
            nginx = try await Nginx(
                server: """
                    \(authority.nginx) location / {
                        proxy_pass \(server.base); proxy_http_version 1.1; proxy_set_header Connection "";
                        proxy_buffering off; proxy_next_upstream off; proxy_redirect off;
                    }
                    """, listen: "ssl http2")
        }

        func url(_ url: String) -> String {
            switch entrance {
            case .list, .digests, .mirror, .queue, .authorizedQueue: return url
            case .secureList, .secureDigests, .mirroredDigests: return tls.url(url)
            case .http2:
                return nginx.url(String(url.dropFirst(base.count + 1)), scheme: "https")
            }
        }
    }

    private func run(_ front: Front, _ arguments: [String]) async throws -> Run {
        let (directory, entrance) = (try TemporaryDirectory(), front.entrance)
        var lines: [String] = []
        func add(_ url: String) { lines.append(front.url(url)) }
        for number in 0..<Self.files {
            // Counters of the server's faults are of one file.
            let server = try await SharedServer.scenario()
            var fault = Self.fault(of: number) ?? ("plain", "")
            // nginx makes a broken stream of interim heads, and what comes of that depends on the others.
            if entrance == .http2, fault.behaviour == "interim" { fault = ("plain", "") }
            add(server.url(fault.behaviour, Self.size, name: "f\(number).bin", fault.query))
            if entrance.hasDigests { lines.append(try Self.digest(of: number)) }
        }
        // A length that no connection sends with the head, and one without any byte.
        add(try await SharedServer.scenario().url("plain", 300_000, name: "long.bin"))
        add(try await SharedServer.scenario().url("plain", 0, name: "empty.bin"))
        try directory.write(lines.joined(separator: "\n"), to: "list")
        if let preparation = entrance.preparation {
            let result = try await Segdl.run(preparation, in: directory)
            #expect(result.status == 0, "\(result.errors)")
        }
        let result = try await Segdl.run(
            entrance.command + [
                "-j", "4", "--progress", "json", "--retries", "2", "--retry-delay", "0.05", "-vv", "--cacert",
                front.authority.certificate,
            ] + arguments, in: directory)
        var ends: [String: End] = [:]
        var messages: [String] = []
        for line in result.output.split(separator: "\n") {
            var end = try JSONDecoder().decode(End.self, from: Data(line.utf8))
            if end.event == "message" { messages.append(end.message ?? "") }
            guard ["completed", "failed", "cancelled"].contains(end.event) else { continue }
            if end.event == "completed" { end.message = nil }
            // A queue names whole paths.
            end.message = end.message?.replacing(directory.file(""), with: "")
            // libcurl 7.88 loses the head of a stream that is reset, if both arrive together beside others.
            if entrance == .http2, end.code == 202 { (end.message, end.name) = (nil, nil) }
            // The query names the case, which differs from run to run.
            let name = end.url?.split(separator: "/").last.map { String($0.prefix { $0 != "?" }) } ?? ""
            end.url = nil
            // How many connections fetch the rest of a file depends on the time that each takes.
            if Self.fault(of: name)?.behaviour == "short-ranges" { end.connections = nil }
            // If the reset of the connection arrives before the head is read, libcurl reports that instead.
            if Self.fault(of: name)?.behaviour == "garbled-length" { end.message = nil }
            ends[name] = end
        }
        var stored: [String: Stored] = [:]
        let home = directory.file("d")
        for name in try FileManager.default.subpathsOfDirectory(atPath: home)
        where !name.contains("segdl-mirror") {
            let path = "\(home)/\(name)"
            let status = try SystemCalls.status(FilePath(path))
            guard status.kind == .file else { continue }
            let isDated = status.modified % 1_000_000_000 == 0
            stored[name] = Stored(
                bytes: try Data(contentsOf: URL(fileURLWithPath: path)),
                modified: isDated ? status.modified : 0,
                hasMark: SystemCalls.attribute("user.segdl.origin", of: FilePath(path), atMost: 2048) != nil)
        }
        return Run(ends: ends, stored: stored, status: result.status, messages: messages)
    }

    @Test("have the same end on the fast path and without it", .serialized, arguments: Entrance.allCases)
    func sameEnds(entrance: Entrance) async throws {
        let front = try await Front(entrance)
        // With the last files first none takes the fast path.
        async let without = run(front, ["--queue-order", "lifo"])
        var with = try await run(front, [])
        // On a busy machine, the server may be silent for so long that all files leave at once.
        for _ in 0..<3 where with.counts.entered - with.counts.left <= 50 {
            print("again, because few files took the fast path: \(with.counts)")
            with = try await run(front, [])
        }
        let usual = try await without
        #expect(with.ends.count == Self.files + 2 && usual.ends.count == Self.files + 2)
        for (name, end) in with.ends.sorted(by: { $0.key < $1.key }) {
            #expect(end == usual.ends[name], "\(name): \(String(describing: Self.fault(of: name)))")
        }
        #expect(with.stored.keys.sorted() == usual.stored.keys.sorted())
        for (name, file) in with.stored where !name.hasSuffix(".segdl") && file != usual.stored[name] {
            let content = TestContent(seed: 1).bytes(0..<Int64(file.bytes.count))
            let offsets = [file.bytes, usual.stored[name]?.bytes ?? Data()].map { bytes in
                zip(bytes, content).enumerated().first { $1.0 != $1.1 }?.offset
            }
            Issue.record("\(name): \(file), not \(String(describing: usual.stored[name])), \(offsets)")
        }
        #expect(with.status == usual.status)
        let (entered, left) = with.counts
        // Most plain files take it; some faults make others behind them leave it.
        #expect(entered - left > 50 && left > 20, "\(entered), \(left)")
        #expect(!usual.messages.contains { Self.counts($0) != nil })
    }

    /// Returns the files that have entered the fast path, and those that left it.
    static func counts(_ message: String) -> (entered: Int, left: Int)? {
        guard
            let match = try? #/(\d+) small files were requested in a batch; (\d+) /#.firstMatch(in: message),
            let entered = Int(match.1), let left = Int(match.2)
        else { return nil }
        return (entered, left)
    }

    @Test("a result has the same response and the same proofs as in the ordinary way")
    func results() async throws {
        let directory = try TemporaryDirectory()
        let server = try await SharedServer.scenario()
        let downloader = try Downloader(Configuration())
        let content = TestContent(seed: 1).bytes(0..<Self.size)
        let digest = try #require(try Expectations(wantsSHA256: true).digests(of: content).first)
        let digits = Array(digest.hexadecimal)
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...($0 + 1)]), radix: 16)
        }
        let field = "Repr-Digest:sha-256=:\(Data(bytes).base64EncodedString()):"
        let query = try #require(field.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        func request(_ name: String) throws -> DownloadRequest {
            let url = server.url("plain", Self.size, name: "f", "header=\(query)")
            return try DownloadRequest(url, to: .file(directory.filePath(name)))
        }
        var usual: DownloadResult?
        for number in 0..<5 { usual = try await downloader.start(request("f\(number)")).result }
        let fastPath = try #require(downloader.makeFastPath())
        async let run: Void = fastPath.run()
        let task = DownloadTask(try request("fast"))
        #expect(fastPath.mayEnter(task))
        let batch = await fastPath.add([FastPath.Entry(id: 7, task: task)])
        guard case .ended(let ends)? = await batch.next(), let end = ends.first else {
            Issue.record("it has left")
            return
        }
        #expect(await batch.next() == nil)
        fastPath.finish()
        await run
        let result = try end.result.get()
        #expect(end.id == 7 && ends.count == 1)
        #expect(result.response?.length == Self.size && result.response == usual?.response)
        #expect(result.proofs.count == 1 && result.proofs == usual?.proofs)
        #expect(result.path == directory.filePath("fast") && result.bytesReceived == Self.size)
        await downloader.shutdown()
    }

    @Test("a host that is busy gets pauses, and all of its files arrive")
    func busy() async throws {
        let directory = try TemporaryDirectory()
        let server = try await SharedServer.scenario()
        let urls = (0..<200).map { number in
            number < 100
                ? server.url("plain", Self.size, name: "f\(number)")
                : server.url("limit", Self.size, name: "f\(number)", "k=2&how=429")
        }
        try directory.write(urls.joined(separator: "\n"), to: "list")
        let result = try await Segdl.run(["fetch", "-i", "list", "-j", "8", "-d", "d"], in: directory)
        #expect(result.status == 0, "\(result.errors)")
        for number in 0..<200 {
            #expect(
                try TestContent(seed: 1).firstMismatch(
                    inFile: directory.file("d/f\(number)"), length: Self.size) == nil)
        }
    }

    @Test("the caps of connections hold")
    func caps() async throws {
        let directory = try TemporaryDirectory()
        let server = try await SharedServer.scenario()
        let urls = (0..<300).map { server.url("plain", Self.size, name: "f\($0)", "delay=2") }
        try directory.write(urls.joined(separator: "\n"), to: "list")
        let arguments = ["fetch", "-i", "list", "-d", "d", "-vv", "--progress", "plain"]
        let result = try await Segdl.run(
            arguments + ["--max-connections-per-host", "3", "-j", "16"], in: directory)
        #expect(result.status == 0, "\(result.errors)")
        let peak = try await server.peak()
        #expect(peak.peakConcurrent <= 3 && peak.requests == 300, "\(peak)")
        let counts = try #require(
            result.errors.split(separator: "\n").compactMap { Self.counts(String($0)) }.first)
        #expect(counts.entered > 200 && counts.left == 0, "\(counts)")
    }

    @Test("a list that runs again requests nothing of files that are there and unchanged")
    func again() async throws {
        let directory = try TemporaryDirectory()
        let server = try await SharedServer.scenario()
        let urls = (0..<100).map { server.url("plain", Self.size, name: "f\($0)", "conditions=1") }
        try directory.write(urls.joined(separator: "\n"), to: "list")
        let arguments = ["fetch", "-i", "list", "-d", "d", "-j", "4", "--progress", "json"]
        #expect(try await Segdl.run(arguments, in: directory).status == 0)
        let before = try await server.requests().count
        #expect(before == 100)
        let result = try await Segdl.run(arguments, in: directory)
        #expect(result.status == 0)
        #expect(result.output.split(separator: "\n").count { $0.contains("\"unchanged\"") } == 100)
        let later = try await server.requests().dropFirst(before)
        #expect(later.count == 100 && later.allSatisfy { $0.status == 304 })
    }
}
