internal import SegmentedDL

/// The fields of control data (deb-control(5), deb822(5)): paragraphs of `Name: value`, in which lines that
/// begin with a blank continue the value.
struct ControlFields: Sendable {
    /// One field of a paragraph.
    struct Field: Sendable, Equatable {
        /// The name in lower case.
        var name: String
        /// The first line of the value, trimmed.
        var value: String
        /// The continuation lines, trimmed.
        var lines: [String] = []

        /// The words of all lines of the value.
        var words: [Substring] {
            ([value] + lines).flatMap { $0.split { $0 == " " || $0 == "\t" } }
        }
    }

    /// The maximum length of a paragraph in bytes.
    private static let longest = 16 * 1024 * 1024

    private let name: String
    private let wanted: Set<String>
    private var splitter: LineSplitter
    private var fields: [Field] = []
    /// True if the last field is a wanted one, which may be continued.
    private var isOpen = false
    private var length = 0

    /// - Parameters:
    ///   - wanted: The names of the fields to keep, in lower case.
    ///   - name: The name of the text in messages.
    init(_ wanted: Set<String>, name: String) {
        self.wanted = wanted
        self.name = name
        splitter = LineSplitter(name: name)
    }

    /// Returns the paragraphs completed by these bytes. Paragraphs without any wanted field are omitted.
    ///
    /// - Throws: `DownloadError` with code `badResponse` or `invalidSetting` if the text is not control data.
    mutating func feed(_ bytes: some Collection<UInt8>) throws(DownloadError) -> [[Field]] {
        var paragraphs: [[Field]] = []
        for line in try splitter.feed(bytes) {
            if let paragraph = try take(line) { paragraphs.append(paragraph) }
        }
        return paragraphs
    }

    /// Returns the last paragraphs.
    ///
    /// - Throws: The errors of `feed(_:)`.
    mutating func finish() throws(DownloadError) -> [[Field]] {
        var paragraphs: [[Field]] = []
        if let line = try splitter.finish(), let paragraph = try take(line) { paragraphs.append(paragraph) }
        return paragraphs + [end()].compactMap { $0 }
    }

    private mutating func end() -> [Field]? {
        defer { (fields, isOpen, length) = ([], false, 0) }
        return fields.isEmpty ? nil : fields
    }

    /// - Returns: The paragraph completed by the line.
    private mutating func take(_ line: LineSplitter.Line) throws(DownloadError) -> [Field]? {
        let bytes = line.bytes
        guard let first = bytes.first(where: { !$0.isBlank }) else { return end() }
        length += bytes.count + 1
        guard length <= Self.longest else {
            throw fault("has a paragraph of more than \(Self.longest) bytes before line \(line.number)")
        }
        if let start = bytes.first, start.isBlank {
            if isOpen { fields[fields.count - 1].lines.append(Self.text(bytes)) }
            return nil
        }
        guard first != UInt8(ascii: "#") else { return nil }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > bytes.startIndex else {
            throw fault("has no field in line \(line.number)")
        }
        let name = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
        isOpen = wanted.contains(name)
        if isOpen { fields.append(Field(name: name, value: Self.text(bytes[(colon + 1)...]))) }
        return nil
    }

    private func fault(_ what: String) -> DownloadError {
        DownloadError(
            .badResponse, "'\(name)' \(what); it is not an index of a Debian repository.", url: name)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.trimmingBlanks(), as: UTF8.self)
    }
}

extension [ControlFields.Field] {
    subscript(name: String) -> ControlFields.Field? { last { $0.name == name } }
}
