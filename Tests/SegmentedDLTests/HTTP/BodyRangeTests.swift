import Testing

@testable import SegmentedDL

/// The rule for the range of a body, over status × Content-Range × Content-Length × requested range × known
/// facts.
@Suite("The byte range of a body")
struct BodyRangeTests {
    /// A row of the table; the file has 1,000 bytes.
    struct Row: Sendable, CustomTestStringConvertible {
        enum Meaning: Sendable, Equatable { case part(Range<Int64>), whole(Int64?), refused }

        let asked: TransferRequest.Range
        let status: Int
        let contentRange: String?
        let length: Int64?
        /// The ETag of an earlier run, for a file of 1,000 bytes; the response has "a".
        var known: String?
        let meaning: Meaning

        var testDescription: String {
            "\(asked) → \(status), Content-Range \(contentRange ?? "-"), Content-Length \(length.map(String.init) ?? "-"), known \(known ?? "-")"
        }
    }

    private static func row(
        _ asked: TransferRequest.Range, _ status: Int, _ contentRange: String?, _ length: Int64?,
        _ meaning: Row.Meaning, known: String? = nil
    ) -> Row {
        Row(
            asked: asked, status: status, contentRange: contentRange.map { "bytes " + $0 }, length: length,
            known: known, meaning: meaning)
    }

    private static let rest = TransferRequest.Range.from(100)
    private static let middle = TransferRequest.Range.exactly(100..<200)

    static let table: [Row] = [
        // Nothing shows that it is a part.
        row(.none, 200, nil, 1000, .whole(1000)),
        row(.none, 200, nil, nil, .whole(nil)),
        row(.none, 203, nil, 1000, .whole(1000)),
        row(.from(0), 200, nil, 1000, .whole(1000)),
        row(.from(0), 200, nil, nil, .whole(nil)),
        row(middle, 200, nil, 1000, .whole(1000)),
        row(middle, 200, nil, nil, .whole(nil)),
        // The rest alone, with status 200: only the known length reveals that it is not the whole.
        row(rest, 200, nil, 900, .refused),
        row(rest, 200, nil, 1000, .refused),
        row(rest, 200, nil, nil, .refused),
        row(rest, 200, nil, 900, .refused, known: "\"a\""),
        row(rest, 200, nil, 900, .refused, known: "\"b\""),
        row(rest, 200, nil, nil, .refused, known: "\"a\""),
        row(rest, 200, nil, 1000, .whole(1000), known: "\"a\""),
        row(rest, 200, nil, 1000, .whole(1000), known: "\"b\""),
        row(rest, 203, nil, 900, .refused, known: "\"a\""),
        row(middle, 200, nil, 100, .refused),
        row(middle, 200, nil, 199, .refused),
        row(.exactly(0..<200), 200, nil, 200, .refused),
        row(.exactly(0..<200), 200, nil, 100, .refused),
        // A Content-Range is honoured with each status.
        row(.from(0), 200, "0-999/1000", 1000, .part(0..<1000)),
        row(.from(0), 200, "0-99/1000", 100, .part(0..<100)),
        row(.from(0), 200, "100-999/1000", 900, .refused),
        row(rest, 200, "100-999/1000", 900, .part(100..<1000)),
        row(rest, 200, "100-999/1000", nil, .part(100..<1000)),
        row(rest, 200, "100-999/1000", 1000, .refused),
        row(rest, 200, "101-999/1000", 899, .refused),
        row(rest, 200, "0-999/1000", 1000, .whole(1000)),
        row(rest, 200, "0-999/1000", 900, .refused),
        row(rest, 203, "100-999/1000", 900, .part(100..<1000)),
        row(middle, 200, "100-199/1000", 100, .part(100..<200)),
        row(middle, 200, "100-149/1000", 50, .part(100..<150)),
        row(middle, 200, "100-999/1000", 900, .refused),
        row(middle, 200, "0-999/1000", 1000, .whole(1000)),
        row(.none, 200, "0-999/1000", 1000, .whole(1000)),
        row(.none, 200, "0-999/1000", nil, .whole(1000)),
        row(.none, 200, "0-999/1000", 900, .refused),
        row(.none, 200, "100-999/1000", 900, .refused),
        row(.none, 200, "100-999/*", 900, .refused),
        row(.none, 200, "*/1000", 1000, .whole(1000)),
        row(.none, 200, "banana", 1000, .whole(1000)),
        row(.from(0), 200, "banana", 1000, .refused),
        row(rest, 200, "banana", 900, .refused),
        row(rest, 200, "100-999/*", 900, .refused),
        // A 206 has to state its range.
        row(.from(0), 206, "0-999/1000", 1000, .part(0..<1000)),
        row(.from(0), 206, "0-99/1000", 100, .part(0..<100)),
        row(.from(0), 206, nil, 1000, .refused),
        row(rest, 206, "100-999/1000", 900, .part(100..<1000)),
        row(rest, 206, "0-999/1000", 1000, .refused),
        row(rest, 206, "0-899/900", 900, .refused),
        row(middle, 206, "100-199/1000", 100, .part(100..<200)),
        row(middle, 206, "100-100/1000", 1, .part(100..<101)),
        row(middle, 206, "100-200/1000", 101, .refused),
        row(middle, 206, "100-199/1000", 99, .refused),
        row(middle, 206, "100-199/*", 100, .refused),
        row(.none, 206, "0-999/1000", 1000, .whole(1000)),
        row(.none, 206, "100-999/1000", 900, .refused),
        row(.none, 206, "0-99/1000", 100, .refused),
        // Servers that send 206 for everything, with a Content-Range that they invent.
        row(.none, 206, nil, 1000, .whole(1000)),
        row(.none, 206, nil, nil, .whole(nil)),
        row(.none, 206, "0-undefined/1000", 1000, .whole(1000)),
        row(.none, 206, "NaN-NaN/1000", 1000, .whole(1000)),
        row(.none, 206, "NaN-NaN/1000", nil, .whole(nil)),
        row(.none, 206, "100-undefined/1000", 900, .refused),
        row(.none, 206, "0-/1000", 1000, .whole(1000)),
        row(.none, 206, "0-1000/1000", 1000, .whole(1000)),
        row(.none, 206, "0-0/0", 0, .whole(0)),
        row(.none, 206, "0-99", 100, .refused),
        row(.none, 206, "banana", 1000, .refused),
        row(.from(0), 206, "0-1000/1000", 1000, .refused),
        // The message has more bytes than the Content-Range says, or fewer.
        row(.none, 206, "0-998/999", 1000, .whole(1000)),
        row(.none, 206, "0-0/1", 1000, .whole(1000)),
        row(.none, 200, "0-998/999", 1000, .whole(1000)),
        row(.none, 206, "0-1000/1001", 1000, .refused),
        row(.none, 206, "0-998/999", nil, .whole(999)),
        row(.none, 206, "0-999/*", 1000, .refused),
        row(.none, 200, "0-999/*", 1000, .whole(1000)),
        row(.none, 200, "0-999/*", 900, .refused),
        row(.from(0), 206, "0-998/999", 1000, .refused),
        // A strong ETag implies one length.
        row(.none, 200, nil, 900, .whole(900), known: "\"a\""),
        row(.from(0), 206, "0-899/900", 900, .part(0..<900), known: "\"a\""),
        row(rest, 206, "100-899/900", 800, .refused, known: "\"a\""),
        row(.none, 200, nil, 900, .whole(900), known: "\"b\""),
        row(.none, 200, nil, 900, .whole(900), known: "W/\"a\""),
        row(.none, 200, nil, nil, .whole(nil), known: "\"a\""),
        row(rest, 206, "100-899/900", 800, .part(100..<900), known: "\"b\""),
    ]

    @Test("is accepted unless contradicted", arguments: table)
    func rule(row: Row) {
        var fields = [HTTPHeader("ETag", row.known?.hasPrefix("W/") == true ? "W/\"a\"" : "\"a\"")]
        if let range = row.contentRange { fields.append(HTTPHeader("Content-Range", range)) }
        if let length = row.length { fields.append(HTTPHeader("Content-Length", "\(length)")) }
        let known = row.known.map {
            KnownFile(total: 1000, validators: Validators(etag: $0, lastModified: nil))
        }
        let head = ResponseHead(status: row.status, fields: fields)
        let meaning: Row.Meaning =
            switch BodyRange(head, asked: row.asked, known: known) {
            case .part(let range, _): .part(range)
            case .whole(let length): .whole(length)
            case .contradictory, .malformed: .refused
            }
        #expect(meaning == row.meaning)
    }
}
