import Testing

@testable import SegmentedDL

@Suite("The response to a question about a copy")
struct KnownCopyTests {
    private func isWords(
        _ length: Int64?, _ type: String?, etag: String? = nil, date: String? = nil,
        of name: String = "a.bin",
        copy condition: Condition = .etag("\"a\"")
    ) -> Bool {
        let resource = ResourceInfo(
            length: length, acceptsRanges: false, validators: Validators(etag: etag, lastModified: date),
            contentType: type)
        return KnownCopy(condition: condition, length: 100_000).isAnsweredByWords(resource, names: [name])
    }

    @Test("is a message if it is short and lacks the known field, whatever its type")
    func lacking() {
        for type in ["text/plain", "application/octet-stream", "text/html", nil] {
            #expect(isWords(26, type) && isWords(0, type))
            #expect(isWords(26, type, date: "D"))
            #expect(isWords(26, type, etag: "\"b\"", copy: .lastModified("D")))
        }
        #expect(!isWords(26, "text/plain", etag: "\"b\""))
        #expect(!isWords(80_000, "text/plain") && !isWords(200_000, nil))
    }

    @Test("is a page if no name is one, however it is described")
    func page() {
        #expect(isWords(200_000, "text/html", etag: "\"b\"", date: "D"))
        #expect(!isWords(26, "text/html", of: "a.html"))
        #expect(!isWords(26, "text/html", etag: "\"b\"", of: "latest"))
        #expect(isWords(26, "application/json", etag: "\"b\""))
        #expect(!isWords(26, "application/json", etag: "\"b\"", of: "a.json"))
    }
}
