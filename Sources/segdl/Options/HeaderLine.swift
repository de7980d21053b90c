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

    var name: String {
        switch self {
        case .field(let header): header.name
        case .leftOut(let name): name
        }
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

/// The notice about headers that are not sent, because each request sets them itself.
enum OmittedHeaders {
    /// Prints the notice, if any headers are omitted.
    static func tell(_ names: some Sequence<String>) {
        if let sentence = sentence(names) { StandardError.write("segdl: \(sentence)\n") }
    }

    /// - Parameter names: The names of the omitted headers; repetitions are named once.
    /// - Returns: `nil` if there are none.
    static func sentence(_ names: some Sequence<String>) -> String? {
        var known: Set<String> = []
        let distinct = names.sorted().filter { known.insert($0.lowercased()).inserted }
        guard !distinct.isEmpty else { return nil }
        let list = distinct.joined(separator: " and ")
        return distinct.count == 1
            ? "the header \(list) is not sent, because each request sets it itself."
            : "the headers \(list) are not sent, because each request sets them itself."
    }
}
