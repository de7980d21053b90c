import ArgumentParser
import Testing

@testable import segdl

@Suite("The parsing of a command line")
struct CommandParsingTests {
    private static func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }

    @Test(
        "yields the subcommand that it names, and the one that runs without a name",
        arguments: [
            ("fetch -s 4 -o x http://h/x", Fetch.self), ("mirror http://h/ d", MirrorStart.self),
            ("mirror start http://h/ d", MirrorStart.self), ("mirror report d", MirrorReportCommand.self),
            ("queue list", QueueList.self), ("queue pause all", QueuePause.self), ("serve", Serve.self),
        ] as [(String, any ParsableCommand.Type)])
    func subcommand(line: String, type: any ParsableCommand.Type) async throws {
        let command = try await CommandParsing.parse(Self.words(line), root: SegDL.self)
        #expect(Swift.type(of: command) == type)
    }

    @Test(
        "reports the same faults as the whole parser, with the full name of the subcommand",
        arguments: [
            "fetch", "fetch -s", "fetch --retries x u", "fetch --retries=", "queue add", "queue pause",
            "queue list a b", "queue move 1", "mirror", "mirror --depth x a b", "verify --bogus", "inspect",
            "bench --bogus", "serve x", "doctor a b", "nothing",
        ])
    func fault(line: String) async throws {
        func message(_ parse: () async throws -> any ParsableCommand) async -> String? {
            do {
                _ = try await parse()
                return nil
            } catch {
                return CommandParsing.fullMessage(for: error, Self.words(line), root: SegDL.self)
            }
        }
        let short = await message { try await CommandParsing.parse(Self.words(line), root: SegDL.self) }
        let whole = await message { try await SegDL.asyncParseAsRoot(Self.words(line)) }
        // The parser shows the default subcommand of mirror, which users never type.
        #expect(short != nil && short == whole?.replacing(" mirror start", with: " mirror"))
    }

    @Test(
        "answers requests for help or the version like the whole parser",
        arguments: ["fetch -h", "mirror --help", "queue add --help", "queue -h", "help verify"])
    func help(line: String) async throws {
        let command = try await CommandParsing.parse(Self.words(line), root: SegDL.self)
        let whole = try await SegDL.asyncParseAsRoot(Self.words(line))
        #expect(Self.text(command) != nil && Self.text(command) == Self.text(whole))
    }

    /// Returns the text with which a command that only prints exits.
    private static func text(_ command: any ParsableCommand) -> String? {
        var command = command
        do {
            try command.run()
            return nil
        } catch {
            return SegDL.fullMessage(for: error)
        }
    }

    @Test("accepts --version after each subcommand", arguments: ["--version", "fetch --version"])
    func version(line: String) async throws {
        let error = await #expect(throws: (any Error).self) {
            try await CommandParsing.parse(Self.words(line), root: SegDL.self)
        }
        #expect(SegDL.exitCode(for: try #require(error)) == .success)
    }
}
