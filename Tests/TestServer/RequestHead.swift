struct RequestHead: Sendable {
    struct Field: Sendable {
        /// Lower-cased.
        let name: String
        let value: String
    }

    let method: String
    let target: String
    let isHTTP10: Bool
    let fields: [Field]
    let raw: [UInt8]

    init?(raw: [UInt8]) {
        var lines = raw.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true).map { line in
            line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        }
        guard !lines.isEmpty else { return nil }
        let start = lenientString(lines.removeFirst()).split(separator: " ")
        guard start.count == 3, start[2].hasPrefix("HTTP/1.") else { return nil }
        method = String(start[0])
        target = String(start[1])
        isHTTP10 = start[2] == "HTTP/1.0"
        fields = lines.compactMap { line in
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == 32 || $0 == 9 }
            let trimmed = value.reversed().drop { $0 == 32 || $0 == 9 }.reversed()
            return Field(
                name: lenientString(line[..<colon]).lowercased(), value: lenientString(Array(trimmed)))
        }
        self.raw = raw
    }

    var path: Substring {
        target.prefix { $0 != "?" && $0 != "#" }
    }

    var query: Query {
        guard let mark = target.firstIndex(of: "?") else { return Query("") }
        return Query(target[target.index(after: mark)...].prefix { $0 != "#" })
    }

    var wantsClose: Bool {
        isHTTP10 || self["connection"]?.lowercased() == "close"
    }

    subscript(name: String) -> String? {
        fields.first { $0.name == name }?.value
    }
}
