/// The items of a URL's query. Values are bytes, because a raw header value may have any encoding.
struct Query: Sendable {
    struct Item: Sendable {
        let name: String
        let value: [UInt8]
        /// As in the URL, for building the target of a redirect.
        let raw: String
    }

    let items: [Item]

    init(_ text: Substring) {
        items = text.split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return Item(
                name: lenientString(percentDecoded(parts[0])),
                value: parts.count > 1 ? percentDecoded(parts[1]) : [],
                raw: String(item))
        }
    }

    func bytes(_ name: String) -> [UInt8]? {
        items.first { $0.name == name }?.value
    }

    func all(_ name: String) -> [[UInt8]] {
        items.filter { $0.name == name }.map(\.value)
    }

    func string(_ name: String) -> String? {
        bytes(name).map { lenientString($0) }
    }

    func int(_ name: String) -> Int64? {
        string(name).flatMap { Int64($0) }
    }

    func flag(_ name: String) -> Bool {
        string(name) == "1"
    }

    func raw(without names: Set<String>) -> [String] {
        items.filter { !names.contains($0.name) }.map(\.raw)
    }
}
