extension Target {
    static let json = Target(name: "json") { bytes in
        guard let value = try? JSONValue(parsing: bytes) else { return }
        promise(depth(value) <= JSONValue.deepest, "it is nested too deeply")
        let written = value.bytes
        guard let again = try? JSONValue(parsing: written) else {
            return promise(false, "'\(String(decoding: written, as: UTF8.self))' is not JSON")
        }
        promise(again.bytes == written, "it is read back differently")
    }

    static let daemonRequest = Target(name: "daemon-request") { bytes in
        let lines = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", maxSplits: 2, omittingEmptySubsequences: false
        ).map(String.init)
        guard lines.count == 3 else { return }
        let request = HTTPRequest("POST", lines[0], fields: [("Host", lines[1]), ("Origin", lines[2])])
        promise(!request.path.contains("?"), "the path has the query")
        guard AccessRule().refusal(of: request) == nil else { return }
        // A browser sends such hosts only for pages of this machine.
        let host = lines[1].lowercased()
        let isPlain = host.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".:[]".contains($0)) }
        promise(isPlain && (host.hasPrefix("localhost") || host.contains { $0.isNumber || $0 == ":" }), host)
        let origin = lines[2].lowercased()
        promise(
            origin == "http://\(host)" || origin == "https://\(host)" || origin.contains("-extension://"),
            origin)
    }

    private static func depth(_ value: JSONValue) -> Int {
        switch value {
        case .array(let values): 1 + (values.map(depth).max() ?? 0)
        case .object(let members): 1 + (members.values.map(depth).max() ?? 0)
        default: 0
        }
    }
}
