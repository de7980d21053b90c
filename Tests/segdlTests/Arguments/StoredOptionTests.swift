import ArgumentParser
import TestSupport
import Testing

@testable import segdl

@Suite("Options of the configuration file and of SEGDL_OPTIONS")
struct StoredOptionTests {
    private func parsed(_ text: String) throws(UsageFault) -> [StoredOption] {
        try StoredOption.parse(file: text, name: "c", home: "/home/me")
    }

    @Test(
        "are one per line",
        arguments: [
            ("limit-rate = 20MiB", "--limit-rate", "20MiB"), ("limit-rate=20MiB", "--limit-rate", "20MiB"),
            ("--limit-rate 20MiB", "--limit-rate", "20MiB"), ("--limit-rate=20MiB", "--limit-rate", "20MiB"),
            ("  limit-rate\t20MiB  ", "--limit-rate", "20MiB"), ("quiet", "--quiet", nil),
            ("--quiet", "--quiet", nil), ("user-agent =", "--user-agent", ""),
            ("header = X-A: b = c # d", "--header", "X-A: b = c # d"),
            ("user-agent = \" a \"", "--user-agent", " a "), ("referer = 'x", "--referer", "'x"),
            ("directory = ~/isos", "--directory", "/home/me/isos"),
            ("directory = '~/isos'", "--directory", "~/isos"), ("directory = ~isos", "--directory", "~isos"),
        ] as [(String, String, String?)])
    func line(text: String, name: String, value: String?) throws {
        #expect(try parsed(text) == [StoredOption(name: name, value: value, place: "c:1")])
    }

    @Test("may be surrounded by comments, blank lines, a byte order mark and any line endings")
    func lines() throws {
        let options = try parsed("\u{feff}# all\r\n\r\nquiet\r\n  # more\r\nretries = 3\n")
        #expect(options.map(\.name) == ["--quiet", "--retries"])
        #expect(options.map(\.place) == ["c:3", "c:5"])
    }

    @Test(
        "that are invalid are reported with their line, and without their text",
        arguments: ["= secret", "-x 16", "---quiet", "retries: 3", "http://secret/"])
    func wrong(line: String) throws {
        let fault = try #require(throws: UsageFault.self) { try parsed("\n\(line)") }
        #expect(fault.reason.hasPrefix("c:2: this is not an option"))
        #expect(!fault.reason.contains("secret"))
    }

    @Test(
        "of the variable are written as on a command line",
        arguments: [
            ("--limit-rate 5M --quiet", ["--limit-rate=5M", "--quiet"]),
            ("-x16 -j 4", ["--max-connections=16", "--max-active-files=4"]),
            ("-qc  -4", ["--quiet", "--continue", "-4"]),
            ("--header 'X-A: b' --user-agent=\"a \\\" b\"", ["--header=X-A: b", "--user-agent=a \" b"]),
            ("--user-agent ''", ["--user-agent="]), ("", []),
        ])
    func words(text: String, expected: [String]) throws {
        let options = CommandOptions(of: Fetch.self)
        let stored = try StoredOption.parse(words: text, variable: "V", kind: options.kind(of:))
        #expect(try StoredOption.arguments(of: stored, for: options) { _ in false } == expected)
    }

    @Test(
        "that cannot be used are reported with their location",
        arguments: [
            ("nonsense = 1", "c:1: --nonsense is not an option of segdl"),
            ("retries", "--retries needs a value"),
            ("quiet = 1", "--quiet only accepts true and false"),
            ("help", "--help is allowed only on the command line"),
        ])
    func faults(line: String, says: String) throws {
        let stored = try parsed(line)
        let fault = try #require(throws: UsageFault.self) {
            try StoredOption.arguments(of: stored, for: CommandOptions(of: Fetch.self)) {
                NamedCommand.kind(of: $0) != nil
            }
        }
        #expect(fault.reason.contains(says) && fault.reason.contains("--no-conf"), "\(fault)")
    }

    @Test("of only another subcommand are ignored, and false disables a flag")
    func others() throws {
        let stored = try parsed("segments = 8\nquiet = false\nrestart = true")
        let arguments = try StoredOption.arguments(of: stored, for: CommandOptions(of: Verify.self)) {
            NamedCommand.kind(of: $0) != nil
        }
        #expect(!arguments.contains { $0.hasPrefix("--segments") || $0.hasPrefix("--quiet") })
        #expect(NamedCommand.kind(of: "--segments") == .valued && NamedCommand.kind(of: "--delete") == .flag)
    }

    @Test("of the variable are refused with other words or an open quote", arguments: ["x", "-q 'x"])
    func badWords(text: String) {
        let options = CommandOptions(of: Fetch.self)
        #expect(throws: UsageFault.self) {
            try StoredOption.parse(words: text, variable: "V", kind: options.kind(of:))
        }
    }

    @Test("come from the file named by the arguments")
    func file() throws {
        for (line, file, others) in [
            ("fetch u", ConfigurationFile.usual, "fetch u"), ("--conf f fetch u", .named("f"), "fetch u"),
            ("fetch u --conf=f", .named("f"), "fetch u"), ("fetch --conf f --no-conf u", .ignored, "fetch u"),
            ("fetch -- --no-conf", .usual, "fetch -- --no-conf"),
        ] {
            var arguments = words(line)
            #expect(try ConfigurationFile.take(from: &arguments) == file)
            #expect(arguments == words(others))
        }
        var arguments = ["fetch", "--conf"]
        #expect(throws: UsageFault.self) { try ConfigurationFile.take(from: &arguments) }
    }

    private func words(_ line: String) -> [String] {
        line.split(separator: " ").map(String.init)
    }

    @Test("come from the user's configuration directory")
    func usualPath() {
        for (base, path) in [("/c", "/c/segdl/config"), ("c", "/h/.config/segdl/config")] {
            let variables = ["XDG_CONFIG_HOME": base, "HOME": "/h"]
            let found = ConfigurationFile.usualPath { variables[$0] }
            #expect(found == path)
        }
        let none = ConfigurationFile.usualPath { _ in nil }
        #expect(none == nil)
    }

    @Test(
        "yield to later opposite ones",
        arguments: [
            ("-q", "fetch -v u", "fetch -v u"), ("-v -4", "fetch -qc -6 u", "fetch -q -c -6 u"),
            ("--delete", "mirror --delete-all a b", "mirror --delete-all a b"),
            ("-q", "fetch -q -v u", "fetch -q -v u"),
            ("--quiet", "fetch -s 2 u", "fetch --quiet -s 2 u"),
            ("-q", "mirror -vv a b", "mirror -vv a b"),
        ])
    func opposites(variable: String, typed: String, all: String) throws {
        let arguments = try ArgumentSources(typed: words(typed)) {
            $0 == "SEGDL_OPTIONS" ? variable : nil
        }.arguments
        #expect(arguments == words(all))
    }

    @Test(
        "may have the names of other tools",
        arguments: [
            ("--split 4", "fetch --segments=4"),
            ("--split=4 --max-tries 3", "fetch --segments=4 --retries=2"),
            ("-nv --allow-overwrite=true", "fetch --quiet --if-exists=replace"),
            ("--file-allocation none -A me", "fetch --user-agent=me"),
            ("--no-progress --dir=d", "fetch --progress=none --directory=d"),
            ("-sL", "fetch --progress=none"), ("-fsSL -q", "fetch --progress=none --quiet"),
            ("-x16 -s16 -k1M", "fetch --max-connections=16 --segments=16 --min-segment-size=1M"),
            ("-k -4", "fetch --insecure -4"), ("-n 8 -q", "fetch --segments=8 --quiet"),
            ("-n8", "fetch --segments=8"), ("-n -q", "fetch --netrc --quiet"),
            ("-C - -m 10", "fetch --continue --max-time=10"), ("-4x16", "fetch -4 --max-connections=16"),
            ("-nvc", "fetch --quiet --no-clobber"), ("-an 10", "fetch --progress=bar --segments=10"),
            ("-b jar --proto -all,https", "fetch --cookie-file=jar"),
            ("--user me --password s", "fetch --user=me:s"), ("--password=s -u me", "fetch --user=me:s"),
            ("--http-user=me --http-passwd s:t", "fetch --user=me:s:t"),
        ])
    func aliases(variable: String, all: String) throws {
        let arguments = try ArgumentSources(typed: ["fetch"]) {
            $0 == "SEGDL_OPTIONS" ? variable : nil
        }.arguments
        #expect(arguments == words(all))
    }

    @Test(
        "are overridden by a later option that states the default",
        arguments: [
            ("--allow-overwrite", "--allow-overwrite=false", ""),
            ("--if-exists replace", "--allow-overwrite=false", ""),
            ("--if-exists rename", "--allow-overwrite=false", "--if-exists=rename "),
            ("--auto-file-renaming=true", "--auto-file-renaming=false", ""),
            ("--insecure", "--check-certificate=true", ""), ("--insecure", "--check-certificate", ""),
            ("--check-certificate=false", "--check-certificate=true", ""),
            ("--insecure", "--insecure=false", ""), ("--continue", "--continue=false", ""),
            ("--no-remote-time", "-R", ""), ("--remote-time=false", "--remote-time=true", ""),
            ("--http1.1", "--http2", ""), ("-nc", "--if-exists replace", "--if-exists replace "),
            ("--if-exists replace", "-nc", "--no-clobber "), ("-nc", "-N", "--if-exists update "),
            ("--allow-overwrite=true --auto-file-renaming=true", "", "--if-exists=replace "),
            ("--netrc --retries 2", "--no-netrc", "--retries=2 "),
            ("", "--allow-overwrite=true --allow-overwrite=false", ""),
            ("", "--check-certificate=false --check-certificate=true", ""),
            ("", "--insecure --check-certificate", ""), ("", "--no-remote-time -R", ""),
            ("", "--continue --continue=false", ""),
            (
                "--insecure", "--retries 2 -- --check-certificate",
                "--insecure --retries 2 -- --check-certificate "
            ),
        ])
    func takenBack(stored: String, typed: String, left: String) throws {
        let arguments = try ArgumentSources(typed: words("fetch http://a/b \(typed)")) {
            $0 == "SEGDL_OPTIONS" ? stored : nil
        }.arguments
        #expect(arguments.sorted() == words("fetch http://a/b \(left)").sorted())
    }

    @Test(
        "a required proof is a digest, unless another level follows",
        arguments: [
            ("queue add --require-proof http://a/b", "queue add --require-proof=digest http://a/b"),
            ("serve --require-proof", "serve --require-proof=digest"),
            (
                "queue add --require-proof other-host http://a",
                "queue add --require-proof other-host http://a"
            ),
            ("queue add --require-proof=signature http://a", "queue add --require-proof=signature http://a"),
            ("queue add -- --require-proof", "queue add -- --require-proof"),
        ])
    func proofLevel(typed: String, read: String) throws {
        #expect(try ArgumentSources(typed: words(typed)) { _ in nil }.arguments == words(read))
    }

    @Test("keep existing files also in a queue, by its own option", arguments: ["-nc", "--no-clobber"])
    func keptInQueue(stored: String) throws {
        let arguments = try ArgumentSources(typed: words("queue add http://a/b")) {
            $0 == "SEGDL_OPTIONS" ? stored : nil
        }.arguments
        #expect(arguments == words("queue add --if-exists=skip http://a/b"))
    }

    @Test("are not overridden by an option with another meaning for another subcommand")
    func otherMeaning() throws {
        let arguments = try ArgumentSources(typed: words("mirror --netrc -R x --no-netrc a b")) {
            $0 == "SEGDL_OPTIONS" ? "--netrc" : nil
        }.arguments
        #expect(arguments == words("mirror --netrc --netrc -R x --no-netrc a b"))
    }

    @Test("of other tools that segdl lacks are refused with an alternative")
    func missing() throws {
        let fault = try #require(throws: UsageFault.self) {
            try ArgumentSources(typed: ["fetch"]) { $0 == "SEGDL_OPTIONS" ? "--save-session=f" : nil }
        }
        #expect(fault.reason.hasPrefix("SEGDL_OPTIONS: --save-session is not an option"), "\(fault)")
        #expect(fault.reason.contains("segdl queue") && fault.reason.contains("--no-conf"), "\(fault)")
    }

    @Test("include a user and a password in separate lines of the file")
    func login() throws {
        let directory = try TemporaryDirectory()
        for (lines, all) in [
            ("user = me\npassword = s", "fetch --user=me:s"), ("http-passwd s\nuser me", "fetch --user=me:s"),
        ] {
            try directory.write(lines, to: "c")
            let arguments = try ArgumentSources(typed: ["--conf", directory.file("c"), "fetch"]) { _ in nil }
                .arguments
            #expect(arguments == words(all))
        }
        for (lines, says) in [
            ("password = secret", "needs a user name"), ("user = a:b\npassword = secret", "already includes"),
        ] {
            try directory.write(lines, to: "c")
            let fault = try #require(throws: UsageFault.self) {
                try ArgumentSources(typed: ["--conf", directory.file("c"), "fetch"]) { _ in nil }
            }
            #expect(fault.reason.contains(says) && !fault.reason.contains("secret"), "\(fault)")
        }
    }

    @Test("are placed after the subcommand and before the typed arguments")
    func order() throws {
        let variables = ["SEGDL_OPTIONS": "--retries 2"]
        for (typed, all) in [
            ("http://a/b", "fetch --retries=2 http://a/b"),
            ("queue start --retries 3", "queue start --retries=2 --retries 3"),
            ("mirror a b", "mirror --retries=2 a b"), ("queue list", "queue list"),
            ("fetch --no-conf u", "fetch u"), ("--version", "--version"),
        ] {
            let arguments = try ArgumentSources(typed: words(typed)) { variables[$0] }.arguments
            #expect(arguments == words(all))
        }
    }
}
