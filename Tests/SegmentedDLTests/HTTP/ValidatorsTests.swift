import Testing

@testable import SegmentedDL

@Suite("Comparing validators")
struct ValidatorsTests {
    struct Row: CustomTestStringConvertible, Sendable {
        var before: (String?, String?)
        var later: (String?, String?)
        var expected: Validators.Comparison

        var testDescription: String {
            "\(before.0 ?? "-") \(before.1 ?? "-") then \(later.0 ?? "-") \(later.1 ?? "-")"
        }
    }

    /// Every combination of "both have it and agree, both have it and differ, one has it, none has it" for
    /// two validators, with strong and weak ETags. `S`, `T` are strong, `W/…` weak; `D`, `E` are dates.
    static let table: [Row] = [
        // Equal strong ETags.
        Row(before: ("S", "D"), later: ("S", "D"), expected: .same),
        Row(before: ("S", nil), later: ("S", nil), expected: .same),
        Row(before: ("S", "D"), later: ("S", nil), expected: .same),
        Row(before: ("S", nil), later: ("S", "D"), expected: .same),
        Row(before: ("S", "D"), later: ("S", "E"), expected: .different),
        // Equal weak ETags prove nothing by themselves.
        Row(before: ("W/S", "D"), later: ("W/S", "D"), expected: .same),
        Row(before: ("W/S", nil), later: ("W/S", nil), expected: .unknown),
        Row(before: ("W/S", "D"), later: ("W/S", nil), expected: .unknown),
        Row(before: ("W/S", nil), later: ("W/S", "D"), expected: .unknown),
        Row(before: ("W/S", "D"), later: ("W/S", "E"), expected: .different),
        // Different ETags.
        Row(before: ("S", "D"), later: ("T", "D"), expected: .etagOnly),
        Row(before: ("S", nil), later: ("T", nil), expected: .different),
        Row(before: ("S", "D"), later: ("T", nil), expected: .different),
        Row(before: ("S", nil), later: ("T", "D"), expected: .different),
        Row(before: ("S", "D"), later: ("T", "E"), expected: .different),
        Row(before: ("W/S", "D"), later: ("W/T", "D"), expected: .etagOnly),
        Row(before: ("W/S", nil), later: ("W/T", nil), expected: .different),
        Row(before: ("S", "D"), later: ("W/S", "D"), expected: .etagOnly),
        Row(before: ("W/S", "D"), later: ("S", "D"), expected: .etagOnly),
        Row(before: ("S", nil), later: ("W/S", nil), expected: .different),
        // Only one has an ETag.
        Row(before: ("S", "D"), later: (nil, "D"), expected: .etagOnly),
        Row(before: ("W/S", "D"), later: (nil, "D"), expected: .etagOnly),
        Row(before: (nil, "D"), later: ("S", "D"), expected: .same),
        Row(before: ("S", "D"), later: (nil, "E"), expected: .different),
        Row(before: ("S", nil), later: (nil, nil), expected: .unknown),
        Row(before: ("S", nil), later: (nil, "D"), expected: .unknown),
        Row(before: (nil, nil), later: ("S", nil), expected: .unknown),
        Row(before: (nil, "D"), later: ("S", nil), expected: .unknown),
        Row(before: ("S", "D"), later: (nil, nil), expected: .unknown),
        // Neither has an ETag.
        Row(before: (nil, "D"), later: (nil, "D"), expected: .same),
        Row(before: (nil, "D"), later: (nil, "E"), expected: .different),
        Row(before: (nil, "D"), later: (nil, nil), expected: .unknown),
        Row(before: (nil, nil), later: (nil, "D"), expected: .unknown),
        Row(before: (nil, nil), later: (nil, nil), expected: .unknown),
    ]

    @Test("two responses' validators", arguments: table)
    func compare(row: Row) {
        let before = Validators(etag: row.before.0, lastModified: row.before.1)
        let later = Validators(etag: row.later.0, lastModified: row.later.1)
        #expect(before.compare(with: later) == row.expected)
    }

    @Test(
        "a date equal to the response's own time does not indicate another file",
        arguments: [
            (6, nil, .ofAnswer), (7, nil, .ofAnswer), (5, nil, .ofAnswer), (8, nil, .different),
            (nil, nil, .different),
            (6, "S", .different),
        ] as [(Int?, String?, Validators.Comparison)])
    func moment(second: Int?, etag: String?, expected: Validators.Comparison) {
        var fields = [HTTPHeader("Last-Modified", "Sun, 06 Nov 1994 08:49:06 GMT")]
        fields += [second.map { HTTPHeader("Date", "Sun, 06 Nov 1994 08:49:0\($0) GMT") }].compactMap(\.self)
        fields += [etag.map { HTTPHeader("ETag", $0) }].compactMap(\.self)
        let later = Validators(ResponseHead(status: 200, fields: fields))
        let before = Validators(etag: nil, lastModified: "Sun, 06 Nov 1994 08:40:00 GMT")
        #expect(before.compare(with: later) == expected)
        #expect(Validators(etag: "S", lastModified: "D").compare(with: later) == .different)
    }

    @Test("they are taken from the first field of their name, in any case")
    func fromHead() {
        let head = ResponseHead(
            status: 200,
            fields: [HTTPHeader("ETAG", "\"a\""), HTTPHeader("Last-modified", "D"), HTTPHeader("etag", "b")])
        #expect(Validators(head) == Validators(etag: "\"a\"", lastModified: "D"))
        #expect(Validators(ResponseHead(status: 200)) == Validators(etag: nil, lastModified: nil))
    }

    @Test(
        "values that cannot be sent back are ignored",
        arguments: ["", "\"a\r\nX: y\"", "\"\u{0}\"", "\u{85}"])
    func unusable(value: String) {
        #expect(Validators(etag: value, lastModified: value) == Validators(etag: nil, lastModified: nil))
        #expect(Validators(etag: value, lastModified: "D") == Validators(etag: nil, lastModified: "D"))
        #expect(Condition(of: Validators(etag: value, lastModified: value)) == nil)
        #expect(Condition(of: Validators(etag: value, lastModified: "D")) == .lastModified("D"))
        #expect(Condition(of: Validators(etag: "\"\ta\"", lastModified: value)) == .etag("\"\ta\""))
    }

    @Test("a weak ETag is recognized by its prefix")
    func strength() {
        #expect(Validators(etag: "\"a\"", lastModified: nil).hasStrongETag)
        #expect(!Validators(etag: "W/\"a\"", lastModified: nil).hasStrongETag)
        #expect(!Validators(etag: nil, lastModified: "D").hasStrongETag)
    }
}
