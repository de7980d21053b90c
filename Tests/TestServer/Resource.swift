import TestContent

/// A version of the file of a URL.
struct Resource {
    static let defaultDate = "Wed, 01 Jan 2025 00:00:00 GMT"
    static let laterDate = "Thu, 02 Jan 2025 00:00:00 GMT"

    /// The default date plus some seconds, up to an hour.
    static func date(plus seconds: Int64) -> String {
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "Wed, 01 Jan 2025 00:\(two(seconds / 60 % 60)):\(two(seconds % 60)) GMT"
    }

    var seed: UInt64
    var size: Int64
    var entityTag: String?
    var lastModified: String?

    init(_ target: Target) {
        let query = target.query
        seed = query.string("seed").flatMap { UInt64($0) } ?? 1
        size = target.size
        switch query.string("etag") {
        case nil: entityTag = "\"\(seed)-\(size)\""
        case "none": entityTag = nil
        case "weak": entityTag = "W/\"\(seed)-\(size)\""
        case let value?: entityTag = value
        }
        switch query.string("lm") {
        case nil: lastModified = Self.defaultDate
        case "none": lastModified = nil
        case let value?: lastModified = value
        }
    }

    var content: TestContent { TestContent(seed: seed) }

    /// Changes the tag to another of the same kind, including quotes.
    mutating func changeEntityTag(_ suffix: String) {
        guard let tag = entityTag else { return }
        entityTag = tag.hasSuffix("\"") ? "\(tag.dropLast())-\(suffix)\"" : "\(tag)-\(suffix)"
    }
}
