import SystemPackage
import TestContent
import Testing

@testable import SegmentedDL
@testable import TestSupport
@testable import segdl

@Suite("The log of a run")
struct MessageLogTests {
    private let content = TestContent(seed: 3).bytes(0..<2_000_000)
    private let messages = MessageLog()

    private func configuration(verbosity: Int) -> Configuration {
        var configuration = Configuration()
        configuration.segments = .fixed(1)
        configuration.retry.delay = .milliseconds(1)
        configuration.durability = .process
        configuration.logger = messages.logger(verbosity: verbosity)
        return configuration
    }

    /// Downloads a file, and returns the messages. An error of the download is ignored.
    private func log(verbosity: Int, _ engine: MemoryEngine) async throws -> [String] {
        let directory = try TemporaryDirectory()
        let downloader = Downloader(configuration: configuration(verbosity: verbosity), engine: engine)
        let request = try DownloadRequest("http://host/file", to: .file(directory.filePath("file")))
        _ = try? await downloader.download(request)
        return messages.take()
    }

    /// The messages of failed attempts. On a slow machine, further messages report what held the download
    /// back.
    private func attempts(_ lines: [String]) -> [String] {
        lines.filter { $0.contains("; trying again") }
    }

    private func failing(_ kind: EngineError.Kind, times: Int) -> MemoryEngine {
        MemoryEngine { [content] request, number in
            if number <= times { throw EngineError(kind: kind, message: "as the test wants it") }
            return .honest(content, request.range)
        }
    }

    @Test("levels: notices always, -v for each retry, -vv for heads")
    func levels() {
        let levels = (0...3).map { "\(MessageLog.level(verbosity: $0))" }
        #expect(levels == ["notice", "info", "debug", "debug"])
    }

    @Test("the first failure to connect is reported without -v, with the next step", arguments: [0, 1])
    func firstFailure(verbosity: Int) async throws {
        let lines = attempts(try await log(verbosity: verbosity, failing(.refused, times: 2)))
        #expect(lines.count == verbosity + 1, "\(lines)")
        let first = try #require(lines.first)
        #expect(first.contains("no connection to host:80 (connection refused)"), "\(lines)")
        #expect(first.contains("; trying again in "), "\(lines)")
        #expect(first.hasSuffix(" (1 of 2)"), "\(lines)")
    }

    @Test("each retry is reported with -v, and its reason")
    func retries() async throws {
        func engine() -> MemoryEngine {
            MemoryEngine { [content] request, number in
                if number > 2 { return .honest(content, request.range) }
                return .init(head: ResponseHead(status: 408))
            }
        }
        #expect(try await log(verbosity: 0, engine()) == [])
        let lines = attempts(try await log(verbosity: 1, engine()))
        #expect(lines.count == 2, "\(lines)")
        #expect(lines.allSatisfy { $0.contains("the server failed with 408; trying again") }, "\(lines)")
    }

    @Test("redirects are reported with -v, headers with -vv", arguments: [1, 2])
    func redirects(verbosity: Int) async throws {
        let engine = MemoryEngine { [content] request, _ in
            guard request.url == "http://host/file" else { return .honest(content, request.range) }
            let fields = [HTTPHeader("Location", "http://other/file?token=secret")]
            return .init(head: ResponseHead(status: 302, fields: fields))
        }
        let lines = try await log(verbosity: verbosity, engine)
        #expect(lines.contains("http://host/file redirects to http://other/file?… (302)"), "\(lines)")
        let heads = lines.filter { $0.contains(" answered ") }
        #expect((heads.count >= 2) == (verbosity == 2), "\(lines)")
        #expect(!lines.contains { $0.contains("secret") })
    }

    @Test("a host that has never responded is given up soon, one that has is waited for")
    func patience() async throws {
        for kind in [EngineError.Kind.resolve, .refused] {
            let never = failing(kind, times: 1000)
            _ = try await log(verbosity: 0, never)
            #expect(never.requests.count == 3)
        }
        // So short that a pause of a busy machine in its middle is not taken for a silent connection, which
        // would be replaced.
        let short = Array(content.prefix(20_000))
        let restarting = MemoryEngine { request, number in
            if (2...7).contains(number) { throw EngineError(kind: .refused, message: "restarting") }
            var reply = MemoryEngine.Reply.honest(short, request.range)
            if number == 1 {
                reply.body = Array(reply.body.prefix(10_000))
                reply.error = EngineError(kind: .lost, message: "reset")
            }
            return reply
        }
        let lines = try await log(verbosity: 1, restarting)
        #expect(restarting.requests.count == 8, "\(lines)")
    }

    @Test("a host that has responded to another download is waited for, too")
    func known() async throws {
        let directory = try TemporaryDirectory()
        let engine = MemoryEngine { [content] request, number in
            if (2...6).contains(number) { throw EngineError(kind: .refused, message: "restarting") }
            return .honest(Array(content.prefix(1000)), request.range)
        }
        let downloader = Downloader(configuration: configuration(verbosity: 0), engine: engine)
        for name in ["first", "second"] {
            _ = try await downloader.download(
                DownloadRequest("http://host/\(name)", to: .file(directory.filePath(name))))
        }
        #expect(directory.names == ["first", "second"])
    }
}
