#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Base64 between a `BEGIN` and an `END` line: PEM (RFC 7468) and the ASCII armor of OpenPGP (RFC 9580,
/// section 6.2).
enum Armor {
    /// Returns the bytes of each block with a label; `nil` if a block is damaged or unterminated.
    static func blocks(_ label: String, in text: String) -> [[UInt8]]? {
        var blocks: [[UInt8]] = []
        var open: [Substring]?
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            let line = trimmed(line)
            switch line {
            case "-----BEGIN \(label)-----":
                guard open == nil else { return nil }
                open = []
            case "-----END \(label)-----":
                guard let lines = open, let bytes = decoded(lines) else { return nil }
                blocks.append(bytes)
                open = nil
            default: open?.append(line)
            }
        }
        return open == nil ? blocks : nil
    }

    private static func decoded(_ lines: [Substring]) -> [UInt8]? {
        var lines = lines[...]
        // Header fields, such as a comment, end with an empty line.
        if let blank = lines.firstIndex(where: \.isEmpty), lines[..<blank].allSatisfy({ $0.contains(":") }) {
            lines = lines[(blank + 1)...]
        }
        // The checksum only detects accidents, and may be missing or wrong (RFC 9580, section 6.1).
        if let last = lines.last, last.first == "=", last.utf8.count == 5 { lines = lines.dropLast() }
        guard let data = Data(base64Encoded: lines.joined()), !data.isEmpty else { return nil }
        return Array(data)
    }

    private static func trimmed(_ line: Substring) -> Substring {
        guard let end = line.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return line[...end]
    }
}
