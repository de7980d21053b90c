import SegmentedDL
import SegmentedDLMirror
import Testing

@testable import segdl

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct JSONRendererTests {
    private struct Line: Decodable {
        var event: String
        var id: Int?
        var url: String?
        var name: String?
        var state: String?
        var bytes: Int64?
        var total: Int64?
        var speed: Int64?
        var remaining: Double?
        var connections: Int?
        var path: String?
        var outcome: String?
        var bytes_written: Int64?
        var seconds: Double?
        var code: Int?
        var exit_status: Int32?
        var message: String?
        var files: Int?
        var completed: Int?
        var failed: Int?
    }

    private let recorder = Recorder()

    private func decoded() throws -> [Line] {
        try recorder.lines.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }

    @Test func progressLines() throws {
        var json = JSONRenderer(output: recorder.output)
        let files = [
            halfway(7), snapshot(8, progress(.queued)), snapshot(9, progress(done: 5, speed: .infinity)),
            snapshot(10, progress(.completed)),
        ]
        json.update(Overall(files), files)
        let lines = try decoded()
        #expect(lines.map(\.id) == [7, 9])
        #expect(lines[0].event == "progress")
        #expect(lines[0].url == "https://example.com/f")
        #expect(lines[0].name == "disk.iso")
        #expect(lines[0].state == "downloading")
        #expect(lines[0].bytes == 450 << 20)
        #expect(lines[0].total == 1000 << 20)
        #expect(lines[0].speed == 10 << 20)
        #expect(lines[0].remaining == 55)
        #expect(lines[0].connections == 8)
        #expect(lines[1].speed == 0)
        // Present as null, not omitted.
        #expect(recorder.lines[1].contains(#""name":null"#))
        #expect(recorder.lines[1].contains(#""total":null"#))
        #expect(recorder.lines[1].contains(#""remaining":null"#))
    }

    @Test func nothingActiveWritesNothing() {
        var json = JSONRenderer(output: recorder.output)
        json.update(Overall(), [snapshot(0, progress(.queued))])
        #expect(recorder.writes.isEmpty)
    }

    @Test func completed() {
        var json = JSONRenderer(output: recorder.output)
        json.finished(halfway(3), outcome: .done(result(length: 4096)))
        json.finished(halfway(3), outcome: .done(result(outcome: .skipped, path: nil)))
        let start = #"{"event":"completed","id":3,"url":"https://example.com/f","name":"disk.iso","#
        #expect(
            recorder.lines == [
                start + #""path":"out/disk.iso","outcome":"downloaded","bytes":4096,"bytes_written":2048,"#
                    + #""seconds":2.0,"connections":4,"connections_opened":0,"bytes_received":0,"bottleneck":null,"bottleneck_text":null,"verified":[],"proofs":[],"end_proven":true,"page":null}"#,
                start + #""path":null,"outcome":"skipped","bytes":2048,"bytes_written":2048,"#
                    + #""seconds":2.0,"connections":4,"connections_opened":0,"bytes_received":0,"bottleneck":null,"bottleneck_text":null,"verified":[],"proofs":[],"end_proven":true,"page":null}"#,
            ])
    }

    @Test func proofs() throws {
        var json = JSONRenderer(output: recorder.output)
        var proven = result(length: 4096)
        let digest = try Checksum(.sha256, String(repeating: "0a", count: 32))
        proven.proofs = [
            DigestProof(digest, isRequested: true, field: "Digest"),
            DigestProof(
                digest, isRequested: false,
                document: DigestProof.Document(url: "https://h/SHA256SUMS", isOfOtherHost: true)),
            DigestProof(
                digest, isRequested: false,
                document: DigestProof.Document(
                    url: "https://h/SHA256SUMS", isOfOtherHost: false,
                    signature: DigestProof.Signature(kind: .minisign, key: "E650A1AC5C73F1DB"))),
            DigestProof(digest, isRequested: false, field: "x-amz-checksum-sha256"),
        ]
        proven.proofs[3].parts = 2
        json.finished(halfway(3), outcome: .done(proven))
        let line = try #require(recorder.lines.first)
        let start = #"{"digest":"\#(digest)","requested":"#
        #expect(
            line.contains(
                #""proofs":["# + start
                    + #"true,"field":"Digest","document":null,"other_host":false,"signature":null,"parts":null},"#
                    + start
                    + #"false,"field":null,"document":"https://h/SHA256SUMS","other_host":true,"signature":null,"#
                    + #""parts":null},"#
                    + start
                    + #"false,"field":null,"document":"https://h/SHA256SUMS","other_host":false,"#
                    + #""signature":{"kind":"minisign","key":"E650A1AC5C73F1DB"},"parts":null},"# + start
                    + #"false,"field":"x-amz-checksum-sha256","document":null,"other_host":false,"#
                    + #""signature":null,"parts":2}]"#), "\(line)"
        )
        // The composite checksum is not one of the file itself.
        #expect(line.contains(#""verified":["\#(digest)","\#(digest)","\#(digest)"],"#), "\(line)")
    }

    @Test func failedAndCancelled() throws {
        var json = JSONRenderer(output: recorder.output)
        json.finished(halfway(3), outcome: FileOutcome(DownloadError(.diskFull, "No space.")))
        json.finished(halfway(4), outcome: FileOutcome(CancellationError()))
        let lines = try decoded()
        #expect(lines.map(\.event) == ["failed", "cancelled"])
        #expect(lines[0].code == 501)
        #expect(lines[0].exit_status == 5)
        #expect(lines[0].message == "No space.")
        #expect(lines[1].bytes == 450 << 20)
    }

    @Test func summary() throws {
        var json = JSONRenderer(output: recorder.output)
        json.end(Overall([], unlisted: FileTally(completed: 2, failed: 1, cancelled: 1, bytes: 99)))
        #expect(recorder.lines == [#"{"event":"summary","files":4,"completed":2,"failed":1,"bytes":99}"#])
    }

    @Test func anyTextComesThroughOnOneLine() throws {
        var json = JSONRenderer(output: recorder.output)
        let every = String(String.UnicodeScalarView((0..<0x3000).compactMap { Unicode.Scalar($0 as UInt32) }))
        let texts = oddNames + [every, #"quote " backslash \ slash /"#, "🎉𠀀"]
        for text in texts {
            json.message(text)
            json.finished(halfway(0, name: text), outcome: .failed(message: text, code: 0, exitStatus: 1))
        }
        let lines = try decoded()
        #expect(lines.count == 2 * texts.count)
        #expect(lines.filter { $0.event == "message" }.map { $0.message ?? "" } == texts)
        #expect(lines.filter { $0.event == "failed" }.map { $0.name ?? "" } == texts)
        let forbidden = recorder.text.unicodeScalars.filter {
            $0 != "\n" && ($0.properties.generalCategory == .control || $0 == "\u{2028}" || $0 == "\u{2029}")
        }
        #expect(forbidden.isEmpty)
    }

    @Test func aFinishedFileIsNotReportedAgain() throws {
        var json = JSONRenderer(output: recorder.output)
        json.finished(halfway(), outcome: .cancelled)
        json.update(Overall([halfway()]), [halfway()])
        #expect(try decoded().map(\.event) == ["cancelled"])
    }

    @Test(arguments: [
        (0.1234567, "0.123"), (1e14, "100000000000000.0"), (1e15, "null"), (.nan, "null"),
        (-.infinity, "null"),
    ])
    func numbers(value: Double, text: String) {
        var line = JSONLine(event: "e")
        line.add("v", rounding: value)
        #expect(line.line == #"{"event":"e","v":"# + text + "}\n")
    }
}
