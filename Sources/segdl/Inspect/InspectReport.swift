import SegmentedDL
internal import SegmentedDLQueue

/// A manifest as text and as JSON.
enum InspectReport {
    static func words(_ info: ManifestInfo, path: String) -> String {
        let trusted = info.trustedRanges.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
        let share = info.length == 0 ? 100 : Double(trusted) / Double(info.length) * 100
        var lines = [
            "manifest       \(Printable.text(path, longest: .max))",
            "url            \(Printable.text(info.url, longest: .max))",
            "length         \(info.length) bytes",
            "etag           \(Printable.text(info.etag ?? "none", longest: .max))",
            "last-modified  \(Printable.text(info.lastModified ?? "none", longest: .max))",
            "updated        \(date(info.updatedSeconds))",
            "boot           \(info.isFromThisBoot ? "this one" : "an earlier one: only durable ranges count")",
            "to be kept     \(trusted) bytes (\(Int(share)) %)",
        ]
        lines += ranges("written", info.writtenRanges) + ranges("durable", info.durableRanges)
        return lines.joined(separator: "\n")
    }

    private static func ranges(_ title: String, _ ranges: [ByteRange]) -> [String] {
        let head = title.padded(to: 15)
        guard !ranges.isEmpty else { return [head + "nothing"] }
        return ranges.enumerated().map { index, range in
            (index == 0 ? head : "".padded(to: 15)) + "\(range.lowerBound) to \(range.upperBound - 1)"
        }
    }

    private static func date(_ seconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    }

    static func json(_ info: ManifestInfo) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let data = try? encoder.encode(Encoded(info))
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    /// The keys are stable: programs parse them.
    private struct Encoded: Encodable {
        let url: String
        let length: Int64
        let etag: String?
        let lastModified: String?
        let written: [[Int64]]
        let durable: [[Int64]]
        let isFromThisBoot: Bool
        let updated: Int64

        init(_ info: ManifestInfo) {
            url = info.url
            length = info.length
            etag = info.etag
            lastModified = info.lastModified
            written = info.writtenRanges.map { [$0.lowerBound, $0.upperBound] }
            durable = info.durableRanges.map { [$0.lowerBound, $0.upperBound] }
            isFromThisBoot = info.isFromThisBoot
            updated = info.updatedSeconds
        }

        enum CodingKeys: String, CodingKey {
            case url, length, etag, written, durable, updated
            case lastModified = "last_modified"
            case isFromThisBoot = "from_this_boot"
        }
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
