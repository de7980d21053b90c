/// The status line and header fields of a response.
struct ResponseHead: Sendable, Equatable {
    var status: Int
    private(set) var fields: [HTTPHeader]

    init(status: Int, fields: [HTTPHeader] = []) {
        self.status = status
        self.fields = fields
    }

    /// Parses a status line such as `HTTP/1.1 206 Partial Content`.
    init?(statusLine: some StringProtocol) {
        // Each line of a head is tried.
        guard statusLine.utf8.starts(with: "HTTP/".utf8) else { return nil }
        let parts = statusLine.split(separator: " ", maxSplits: 2)
        guard parts.count >= 2, let status = Int(parts[1]) else { return nil }
        self.init(status: status)
    }

    mutating func append(_ field: HTTPHeader) {
        fields.append(field)
    }

    /// The first value of a field.
    subscript(name: String) -> String? {
        fields.first { $0.name.lowercased() == name }?.value
    }

    /// All values of a field, in order. `name` is in lower case.
    func values(_ name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name }.map(\.value)
    }
}
