/// The status line and header fields of a response.
struct ResponseHead: Sendable, Equatable {
    var status: Int
    private(set) var fields: [HTTPHeader]
    /// The fields' names in lower case: each is looked for many times.
    private var names: [String]

    init(status: Int, fields: [HTTPHeader] = []) {
        self.status = status
        self.fields = fields
        names = fields.map { $0.name.lowercased() }
        // As many as most answers have.
        self.fields.reserveCapacity(16)
        names.reserveCapacity(16)
    }

    /// Parses a status line such as `HTTP/1.1 206 Partial Content`.
    init?(statusLine: some Collection<UInt8>) {
        guard statusLine.starts(with: "HTTP/".utf8) else { return nil }
        let parts = statusLine.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard parts.count >= 2, let status = Int(String(decoding: parts[1], as: UTF8.self)) else {
            return nil
        }
        self.init(status: status)
    }

    mutating func append(_ field: HTTPHeader) {
        fields.append(field)
        names.append(field.name.lowercased())
    }

    /// The first value of a field. `name` is in lower case.
    subscript(name: String) -> String? {
        names.firstIndex(of: name).map { fields[$0].value }
    }

    /// All values of a field, in order. `name` is in lower case.
    func values(_ name: String) -> [String] {
        names.indices.filter { names[$0] == name }.map { fields[$0].value }
    }
}
