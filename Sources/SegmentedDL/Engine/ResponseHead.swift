/// The status line and header fields of a response.
///
/// Fields are stored as the received bytes, because most of them are never read. Converting all of them to
/// strings was a measurable part of the cost of a short response.
package struct ResponseHead: Sendable {
    /// The positions of a field's name and value.
    private struct Field: Equatable {
        var name: Range<Int>
        var value: Range<Int>
    }

    var status: Int
    /// True if the response was received over HTTP/2.
    private(set) var isHTTP2 = false
    /// True if a field that determines the body continues in the next line. libcurl 7.88 ignores that line,
    /// so it may decode the body differently, or find another end.
    private(set) var foldsBody = false
    /// True if the next line may continue the last field.
    private var mayContinue = false
    private var fields: [Field] = []
    /// The names, in lower case, and the values of all fields.
    private var bytes: [UInt8] = []

    package init(status: Int, fields: [HTTPHeader] = []) {
        self.status = status
        // Sufficient for most responses.
        self.fields.reserveCapacity(16)
        bytes.reserveCapacity(512)
        for field in fields { append(field) }
    }

    /// Parses a status line such as `HTTP/1.1 206 Partial Content`.
    init?(statusLine line: UnsafeRawBufferPointer) {
        // libcurl also accepts a status line in lower case.
        let isStatusLine = line.starts(with: "HTTP/".utf8) { ($0 & 0xdf) == ($1 & 0xdf) }
        guard isStatusLine else { return nil }
        // Some servers write tabs between the parts, or nothing after the status; libcurl accepts both.
        let parts = line.split(maxSplits: 2) { $0 == 0x20 || $0 == 0x09 }
        guard parts.count >= 2 else { return nil }
        let digits = parts[1].prefix { (0x30...0x39).contains($0) }
        guard digits.count == 3, let status = Int(String(decoding: digits, as: UTF8.self)) else {
            return nil
        }
        self.init(status: status)
        isHTTP2 = parts[0].dropFirst("HTTP/".utf8.count).elementsEqual("2".utf8)
    }

    mutating func append(_ field: HTTPHeader) {
        append(field.name.utf8, field.value.utf8)
    }

    /// Adds the field of a line, or continues the last field with it (RFC 9112, section 5.2). Any other line
    /// is ignored, and so are the lines that continue it.
    mutating func append(line: UnsafeRawBufferPointer) {
        if let first = line.first, first.isBlank { return fold(line) }
        mayContinue = appendField(of: line)
    }

    /// Appends a line to the value of the last field, with a space instead of the line break. A field that
    /// would have control characters is removed, as if it were in one line.
    private mutating func fold(_ line: UnsafeRawBufferPointer) {
        guard mayContinue, var field = fields.popLast() else { return }
        foldsBody = foldsBody || Self.namesOfBody.contains { isCalled(field, $0) }
        guard let rest = HTTPHeader.value(of: line[...]) else {
            mayContinue = false
            return
        }
        if !field.value.isEmpty, !rest.isEmpty { bytes.append(UInt8(ascii: " ")) }
        bytes += rest
        field.value = field.value.lowerBound..<bytes.count
        fields.append(field)
    }

    /// The fields that libcurl interprets itself.
    private static let namesOfBody = ["content-length", "transfer-encoding", "content-encoding"]

    /// - Returns: False for a line that is not a field, which is ignored.
    mutating func appendField(of line: UnsafeRawBufferPointer) -> Bool {
        guard let field = HTTPHeader.parts(of: line) else { return false }
        append(field.name, field.value)
        return true
    }

    private mutating func append(_ name: some Collection<UInt8>, _ value: some Collection<UInt8>) {
        let start = bytes.count
        for byte in name {
            bytes.append((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte)
        }
        let end = bytes.count
        bytes += value
        fields.append(Field(name: start..<end, value: end..<bytes.count))
    }

    /// True if the body ends with the connection (RFC 9112, section 6.3).
    var isEndedByClose: Bool {
        guard status >= 200, status != 204, status != 304, !isHTTP2 else { return false }
        let codings = transferCodings
        guard codings.isEmpty else { return !codings.contains { $0.contains("chunked") } }
        return self["content-length"] == nil
    }

    /// The transfer codings of the body, in lower case. `identity`, which older servers send, does not count
    /// as a coding (RFC 2616, section 3.6).
    var transferCodings: [String] {
        values("transfer-encoding").flatMap { $0.lowercased().split(separator: ",") }
            .map { String(Substring($0).trimmingBlanks()) }
            .filter { !$0.isEmpty && $0 != "identity" }
    }

    /// The length of the body in bytes, if libcurl waits for the end of the connection even though the length
    /// is known: it ignores Content-Length if the response has a Transfer-Encoding.
    var uncountedLength: Int64? {
        guard !isHTTP2, self["transfer-encoding"] != nil, transferCodings.isEmpty else { return nil }
        return self["content-length"].flatMap { Int64($0) }
    }

    /// The maximum time, in seconds, for which a refusal is held back for its body, which may state the
    /// reason; `nil` if the response is not a refusal. A request that is retried soon is not delayed.
    var refusalSeconds: Double? {
        switch status {
        case 408, 421, 425, 429, 500...599: 0.1
        case 400...499: 1
        default: nil
        }
    }

    /// The first value of a field. `name` is in lower case.
    subscript(name: String) -> String? {
        fields.first { isCalled($0, name) }.map(value)
    }

    /// All values of a field, in order. `name` is in lower case.
    func values(_ name: String) -> [String] {
        fields.filter { isCalled($0, name) }.map(value)
    }

    /// All fields, in order, with names in lower case.
    var allFields: [HTTPHeader] {
        fields.map { HTTPHeader(String(decoding: bytes[$0.name], as: UTF8.self), value($0)) }
    }

    private func isCalled(_ field: Field, _ name: String) -> Bool {
        name.utf8.count == field.name.count && name.utf8.elementsEqual(bytes[field.name])
    }

    private func value(_ field: Field) -> String {
        let value = bytes[field.value]
        if let text = String(validating: value, as: UTF8.self) { return text }
        // A URL must be sent back to the server with its original bytes, whatever they mean.
        if isCalled(field, "location") { return value.map(Self.encoded).joined() }
        // In ISO-8859-1 these are control characters, so the text is in another encoding.
        if value.contains(where: { (0x80..<0xa0).contains($0) }) { return PercentEncoding.text(value) }
        // Other bytes were once ISO-8859-1, in which some servers still send names (RFC 9110, section 5.5).
        return String(String.UnicodeScalarView(value.map { UnicodeScalar($0) }))
    }

    private static func encoded(_ byte: UInt8) -> String {
        byte < 0x80 ? String(UnicodeScalar(byte)) : "%" + Hexadecimal.text(CollectionOfOne(byte))
    }
}

extension ResponseHead: Equatable {
    /// Compares the status, the version and the fields.
    package static func == (one: ResponseHead, other: ResponseHead) -> Bool {
        one.status == other.status && one.isHTTP2 == other.isHTTP2 && one.foldsBody == other.foldsBody
            && one.fields == other.fields && one.bytes == other.bytes
    }
}
