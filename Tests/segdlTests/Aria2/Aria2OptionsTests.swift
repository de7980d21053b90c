import Testing

@testable import SegmentedDLOptions
@testable import segdl

@Suite("aria2's options")
struct Aria2OptionsTests {
    @Test("are all in the table, each once and readable")
    func table() {
        let tables = [
            Aria2OptionTable.ofFile, Aria2OptionTable.ofRun, Aria2OptionTable.ofDaemon,
            Aria2OptionTable.withoutEffect, Aria2OptionTable.missing,
        ]
        let lines = tables.reduce(0) { $0 + $1.split(separator: "\n").count }
        #expect(lines == 198)
        #expect(Aria2Options.all.count == lines)
        #expect(Aria2Options.named.count == lines)
        let letters = Aria2Options.all.compactMap(\.short)
        #expect(Set(letters).count == letters.count)
        #expect(letters.sorted().joined() == "DMOPRSTUVZacdhijklmnopqstuvx")
    }

    @Test("have defaults that pass their own checks")
    func defaults() {
        for option in Aria2Options.all {
            guard let usual = option.usual else { continue }
            #expect(throws: Never.self, "\(option.name)") { try option.checked(usual, home: nil) }
        }
    }

    @Test("that segdl lacks suggest an alternative")
    func remedies() {
        for option in Aria2Options.all {
            guard case .missing(let remedy) = option.scope else { continue }
            #expect(remedy.hasSuffix("."), "\(option.name)")
        }
    }

    private func set(_ name: String, _ value: String) -> Result<Aria2Values, Aria2Failure> {
        do {
            var values = Aria2Values()
            try values.set(try Aria2Options.long(name), value, home: "/home/me")
            return .success(values)
        } catch {
            return .failure(error)
        }
    }

    @Test(
        "refuse invalid values with aria2's messages",
        arguments: [
            ("split", "abc", "Bad number abc"),
            ("split", "0", "split must be greater than or equal to 1."),
            (
                "max-connection-per-server", "99",
                "max-connection-per-server must be between 1 and 16."
            ),
            ("continue", "maybe", "continue must be either 'true' or 'false'."),
            ("min-split-size", "1", "min-split-size must be between 1048576 and 1073741824."),
            ("min-split-size", "1.5M", "Bad or negative value detected: 1.5M"),
            ("checksum", "foo=1", "Unrecognized checksum"),
            ("download-result", "x", "download-result must be one of the following:'default' 'full' 'hide'"),
        ])
    func wrong(_ name: String, _ value: String, _ reason: String) {
        guard case .failure(let failure) = set(name, value) else {
            Issue.record("--\(name)=\(value) is accepted")
            return
        }
        #expect(failure.status == 28)
        #expect(
            failure.message
                == "We encountered a problem while processing the option '--\(name)'.\n  -> \(reason)")
    }

    @Test("refuse features that segdl lacks, unless the option disables them")
    func missing() throws {
        #expect(throws: Aria2Failure.self) { try set("torrent-file", "x.torrent").get() }
        #expect(throws: Aria2Failure.self) { try set("daemon", "true").get() }
        #expect(try set("daemon", "false").get().flag("daemon") == false)
    }

    @Test("have sizes with K and M, numbers, flags, lists and aria2's defaults")
    func values() throws {
        var values = Aria2Values()
        #expect(values.number("split") == 5)
        #expect(values.size("min-split-size") == 20 << 20)
        #expect(values.limit("max-download-limit") == nil)
        #expect(values.flag("auto-file-renaming"))
        #expect(!values.flag("continue"))
        #expect(values.text("dir") == nil)
        for (name, value) in [
            ("max-download-limit", "300K"), ("min-split-size", "1M"), ("header", "A: b"), ("header", "C: d"),
            ("dir", "${HOME}/x/${HOME}"), ("split", "3"), ("split", "4"),
        ] {
            try values.set(Aria2Options.long(name), value, home: "/h")
        }
        #expect(values.limit("max-download-limit") == 300 << 10)
        #expect(values.size("min-split-size") == 1 << 20)
        #expect(values.list("header") == ["A: b", "C: d"])
        #expect(values.text("dir") == "/h/x//h")
        #expect(values.number("split") == 4)
    }

    @Test("of a file precede those of the run, lists as a whole")
    func layers() throws {
        var run = Aria2Values()
        var file = Aria2Values()
        try run.set(Aria2Options.long("header"), "A: b", home: nil)
        try run.set(Aria2Options.long("split"), "3", home: nil)
        try file.set(Aria2Options.long("header"), "C: d", home: nil)
        let both = run.overridden(by: file)
        #expect(both.list("header") == ["C: d"])
        #expect(both.number("split") == 3)
    }
}
