import SegmentedDL

/// A header in curl's notation: `Name: value`; `Name;` is sent without a value; `Name:` is not sent.
enum HeaderLine: Equatable {
    case field(HTTPHeader)
    case leftOut(String)

    /// - Returns: `nil` if the text is not a header.
    init?(_ text: String) {
        if text.hasSuffix(";"), let empty = HTTPHeader(parsing: "\(text.dropLast()):"), empty.value.isEmpty {
            self = .field(empty)
            return
        }
        guard let header = HTTPHeader(parsing: text) else { return nil }
        self = header.value.isEmpty ? .leftOut(header.name) : .field(header)
    }

    /// The header, if one is sent.
    var sent: HTTPHeader? {
        if case .field(let header) = self { header } else { nil }
    }

    /// - Parameter name: The name in lower case.
    func isLeftOut(_ name: String) -> Bool {
        if case .leftOut(let own) = self { own.lowercased() == name } else { false }
    }
}
