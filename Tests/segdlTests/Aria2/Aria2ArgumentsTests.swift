import SegmentedDLOptions
import Testing

@testable import segdl

@Suite("aria2's arguments")
struct Aria2ArgumentsTests {
    /// The options as `name=value`.
    private func options(_ arguments: String...) throws -> [String] {
        try Aria2Arguments(arguments).options.map { "\($0.option.name)=\($0.value)" }
    }

    private func message(_ arguments: String...) -> String? {
        do {
            _ = try Aria2Arguments(arguments)
            return nil
        } catch {
            #expect(error.status == 28)
            return error.message.split(separator: "\n").first.map(String.init)
        }
    }

    @Test("have values that are attached, behind = or in the next argument")
    func values() throws {
        #expect(
            try options("-x16", "-s", "4", "--split=8") == [
                "max-connection-per-server=16", "split=4", "split=8",
            ])
        #expect(try options("--out", "a b", "--header=A: b=c") == ["out=a b", "header=A: b=c"])
        #expect(try options("-d", "--", "-o-") == ["dir=--", "out=-"])
        #expect(try options("--out=") == ["out="])
        #expect(
            try options("-a", "none", "-afalloc") == ["file-allocation=none", "file-allocation=falloc"])
    }

    @Test("have flags whose value must be attached")
    func flags() throws {
        #expect(
            try options("-c", "--continue", "--continue=false", "-cfalse") == [
                "continue=true", "continue=true", "continue=false", "continue=false",
            ])
        let mixed = try Aria2Arguments(["--continue", "false", "http://h/a"])
        #expect(mixed.uris == ["false", "http://h/a"])
        #expect(mixed.options.map(\.value) == ["true"])
    }

    @Test("may follow URIs, but not two dashes")
    func order() throws {
        let arguments = try Aria2Arguments(["http://h/a", "-q", "-", "--", "-x16"])
        #expect(arguments.uris == ["http://h/a", "-", "-x16"])
        #expect(arguments.options.map(\.option.name) == ["quiet"])
    }

    @Test("may be abbreviated if unambiguous")
    func beginnings() throws {
        #expect(try options("--spl=2") == ["split=2"])
        #expect(try options("--max-overall-d=1M") == ["max-overall-download-limit=1M"])
        #expect(message("--max-overall=1M")?.contains("is ambiguous") == true)
    }

    @Test("are refused if unknown, or without a value")
    func wrong() {
        #expect(message("--nosuch") == "aria2c: unrecognized option '--nosuch'")
        #expect(message("-y") == "aria2c: invalid option -- 'y'")
        #expect(message("--split") == "aria2c: option '--split' requires an argument")
        #expect(message("-x") == "aria2c: option requires an argument -- 'x'")
        #expect(message("--version=1") == "aria2c: option '--version' doesn't allow an argument")
    }

    @Test("are read by the subcommand or by the program's name")
    func names() {
        #expect(Aria2Command.arguments(calledAs: "/usr/bin/aria2c", ["-q"]) == ["-q"])
        #expect(Aria2Command.arguments(calledAs: "aria2c", []) == [])
        #expect(Aria2Command.arguments(calledAs: "segdl", ["aria2c", "-q"]) == ["-q"])
        #expect(Aria2Command.arguments(calledAs: "segdl", ["fetch", "aria2c"]) == nil)
        #expect(Aria2Command.arguments(calledAs: "", []) == nil)
    }
}
