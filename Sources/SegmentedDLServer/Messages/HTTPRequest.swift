/// A whole request, independent of its connection.
package struct HTTPRequest: Sendable {
    /// The method, in upper case.
    package var method: String
    /// The path as it was sent, without the query.
    package var path: String
    /// The part after the first `?`, as it was sent; empty if there is none.
    package var query: String
    package var fields: [(name: String, value: String)]
    package var body: [UInt8]

    /// - Parameter target: The path and query, as in the request line (RFC 9112, 3.2).
    package init(
        _ method: String, _ target: String, fields: [(name: String, value: String)] = [], body: [UInt8] = []
    ) {
        self.method = method
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts[0])
        query = parts.count > 1 ? String(parts[1]) : ""
        self.fields = fields
        self.body = body
    }

    /// Returns the values of a field, whose name is case-insensitive.
    package func values(_ name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// Returns the value of a field that occurs exactly once; `nil` if it is missing or repeated.
    package func value(_ name: String) -> String? {
        let values = values(name)
        return values.count == 1 ? values[0] : nil
    }
}
