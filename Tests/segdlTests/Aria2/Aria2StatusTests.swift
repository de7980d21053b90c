import SegmentedDL
import SegmentedDLOptions
import SystemPackage
import Testing

@testable import segdl

@Suite("aria2's exit statuses")
struct Aria2StatusTests {
    @Test(
        "follow from the kind of error",
        arguments: [
            (.timedOut, 2), (.cannotResolve, 19), (.connectionFailed, 6), (.tlsFailed, 6),
            (.badRedirect, 23), (.badResponse, 22), (.checksumMismatch, 32), (.lengthMismatch, 8),
            (.remoteFileChanged, 8), (.diskFull, 9), (.fileExists, 13), (.permissionDenied, 16),
            (.badPath, 16), (.ioFailed, 17), (.locked, 11), (.invalidSetting, 28), (.invalidURL, 1),
            (.closureFailed, 1),
        ] as [(DownloadError.Code, Int32)])
    func codes(_ code: DownloadError.Code, _ status: Int32) {
        #expect(Aria2Status.of(DownloadError(code, "")) == status)
    }

    @Test(
        "follow from the server's status as in aria2c 1.36",
        arguments: [
            (401, 24), (403, 22), (404, 3), (407, 22), (410, 22), (416, 22), (500, 22), (502, 29), (503, 29),
            (504, 29),
        ] as [(Int, Int32)])
    func server(_ answer: Int, _ status: Int32) {
        #expect(Aria2Status.of(DownloadError(.httpStatus, "", status: answer)) == status)
    }

    @Test("name a bound on missing files, and nothing that was stopped")
    func special() {
        let missing = DownloadError(.httpStatus, "", status: 404)
        #expect(Aria2Status.of(missing, boundsNotFound: true) == 4)
        #expect(Aria2Status.of(CancellationError()) == nil)
    }

    @Test("of a run are the last failure's, or 7 if something did not end")
    func runs() {
        let results = Aria2Results()
        #expect(results.exitStatus(of: 0) == 0)
        #expect(results.exitStatus(of: 1) == 7)
        results.end(0, 3)
        results.end(1, 0)
        #expect(results.exitStatus(of: 2) == 3)
        results.end(2, 29)
        results.end(3, nil)
        #expect(results.exitStatus(of: 4) == 29)
        #expect((0...3).map { results.status(of: $0) } == [3, 0, 29, nil])
    }

    @Test("a session has all that is incomplete, with its options")
    func session() throws {
        var values = Aria2Values()
        for (name, value) in [
            ("split", "3"), ("header", "A: b"), ("header", "C: d"), ("gid", "00000000000000ab"),
            ("quiet", "true"),
        ] {
            try values.set(Aria2Options.long(name), value, home: nil)
        }
        var forced = values
        try forced.set(Aria2Options.long("force-save"), "true", home: nil)
        try forced.set(Aria2Options.long("save-not-found"), "false", home: nil)
        let downloads = [
            try Aria2Download(["http://a/x", "http://b/x"], values),
            try Aria2Download(["http://a/y"], values),
            try Aria2Download(["http://a/z"], forced), try Aria2Download(["http://a/gone"], forced),
        ]
        let statuses: [Int: Int32] = [1: 0, 2: 0, 3: 3]
        let options = " gid=00000000000000ab\n"
        #expect(
            Aria2Session.text(of: downloads) { statuses[$0] } == """
                http://a/x\thttp://b/x\t
                \(options) header=A: b
                 header=C: d
                 split=3
                http://a/z\t
                \(options) force-save=true
                 header=A: b
                 header=C: d
                 split=3

                """)
    }

    @Test("programs for events are found, and that of a stop applies to other ends")
    func hooks() throws {
        var values = Aria2Values()
        #expect(Aria2Hooks(values).isEmpty)
        try values.set(Aria2Options.long("on-download-stop"), "s", home: nil)
        try values.set(Aria2Options.long("on-download-error"), "e", home: nil)
        let hooks = Aria2Hooks(values)
        #expect(hooks.program(for: .error) == "e")
        #expect(hooks.program(for: .complete) == "s")
        #expect(hooks.program(for: .stop) == "s")
        #expect(hooks.program(for: .start) == nil)
    }
}
