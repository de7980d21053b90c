import Testing

@testable import SegmentedDL

@Suite("The output of gpgv")
struct OpenPGPStatusTests {
    private static let key = "3396C50897013C13530501DE3911D88BB9DC87C2"
    private static let new = "NEWSIG"
    private static let good = "GOODSIG 3911D88BB9DC87C2 Me <me@x>"
    private static let plain = "PLAINTEXT 74 0 "
    private static let bad = "BADSIG 3911D88BB9DC87C2 Me <me@x>"
    private static let unknown = "ERRSIG 1111111111111111 22 8 00 1795875804 9 -"
    private static let other = "NO_PUBKEY 1111111111111111"
    private static let ofDocument = verified("00")
    private static let ofText = verified("01")
    private static let ofKey = verified("13")

    private static func verified(_ type: String) -> String {
        "VALIDSIG 0000C50897013C13530501DE3911D88BB9DC87C2 2026-11-28 1795875804 0 4 0 22 8 \(type) \(key)"
    }

    private func status(_ lines: [String], isInline: Bool = false) -> OpenPGPStatus {
        OpenPGPStatus(lines.map { "[GNUPG:] \($0)\n" }.joined(), isInline: isInline)
    }

    @Test(
        "names the primary key of a valid signature",
        arguments: [
            ([new, good, ofDocument], false), ([new, good, ofText], false),
            ([plain, new, good, ofText], true), ([new, unknown, other, new, good, ofDocument], false),
            ([new, good, ofDocument, new, unknown, other], false),
        ] as [([String], Bool)])
    func valid(lines: [String], isInline: Bool) {
        let status = status(lines, isInline: isInline)
        #expect(status.key == Self.key && status.reason == nil && !status.isForged)
    }

    @Test(
        "is rejected otherwise",
        arguments: [
            ([], false), ([new], false), ([good], false), ([new, ofDocument], false), ([new, good], false),
            // Of a key, and not of a document.
            ([new, good, ofKey], false),
            // The second signature is not the good one.
            ([new, good, new, ofDocument], false),
            // The document was not read, or twice.
            ([plain, new, good, ofDocument], false), ([new, good, ofDocument], true),
            ([plain, plain, new, good, ofDocument], true),
            ([plain, new, good, ofText, "ERROR proc_pkt.plaintext 89_BAD_DATA"], true),
            ([new, good, "VALIDSIG \(key)"], false),
        ] as [([String], Bool)])
    func none(lines: [String], isInline: Bool) {
        let status = status(lines, isInline: isInline)
        #expect(status.key == nil && status.reason != nil && !status.isForged)
    }

    @Test("counts only in lines with gpgv's prefix")
    func mark() {
        let text = "\(Self.new)\n\(Self.good)\n\(Self.ofDocument)\n"
        #expect(OpenPGPStatus(text, isInline: false).key == nil)
    }

    @Test("reports a signature of other bytes, even next to a valid one")
    func forged() {
        for lines in [[Self.new, Self.bad], [Self.new, Self.good, Self.ofDocument, Self.new, Self.bad]] {
            let status = status(lines)
            #expect(status.key == nil && status.isForged)
        }
    }

    @Test(
        "explains failures",
        arguments: [
            ([unknown, other], "1111111111111111", false), (["EXPKEYSIG 1 x"], "expired", true),
            (["REVKEYSIG 1 x"], "revoked", true), (["EXPSIG 1 x"], "has expired", true),
            (["NODATA 4"], "usable", false),
            (["ERRSIG 1111111111111111 1 2 00 1795875804 5 1111"], "SHA-1", true),
        ] as [([String], String, Bool)])
    func reason(lines: [String], word: String, isOfTrustedKey: Bool) {
        let status = status([Self.new] + lines)
        #expect(status.reason?.contains(word) ?? false, "\(status.reason ?? "")")
        #expect(status.isOfTrustedKey == isOfTrustedKey)
    }
}
