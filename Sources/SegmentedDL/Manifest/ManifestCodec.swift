#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Encodes and decodes manifests: a line with the format and the checksum of the next line, a line of JSON,
/// and a journal with one line for each later write.
///
///     segdl-manifest 1 <SHA-256 of the JSON line>
///     {"url": …}
///     + <first byte> <byte after the last> <fingerprint> <check>
package enum ManifestCodec {
    /// The maximum size in bytes, sufficient for tens of thousands of ranges.
    static let longest = 16 * 1024 * 1024

    /// The reason why bytes are not a valid manifest.
    package enum Damage: Error, Equatable {
        case foreign
        case version(Int)
        case checksum
        case content
    }

    static func encode(_ manifest: Manifest) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let payload = try encoder.encode(manifest) + [newline]
        return Array("segdl-manifest \(Manifest.version) \(Digest.sha256(payload))\n".utf8) + payload
    }

    /// Returns the journal line for a written byte range.
    static func encode(_ range: ByteRange) -> [UInt8] {
        line("+ \(range.lowerBound) \(range.upperBound)")
    }

    /// Returns the journal line for a written extent.
    static func encode(_ extent: Extent) -> [UInt8] {
        let fingerprint = String(extent.fingerprint, radix: 16)
        return line("+ \(extent.range.lowerBound) \(extent.range.upperBound) \(fingerprint)")
    }

    private static func line(_ text: String) -> [UInt8] { Array("\(text) \(check(text))\n".utf8) }

    static func decode(_ bytes: [UInt8]) throws(Damage) -> Manifest {
        guard let headEnd = bytes.prefix(128).firstIndex(of: newline) else { throw .foreign }
        let words = String(decoding: bytes[..<headEnd], as: UTF8.self).split(separator: " ")
        guard words.count == 3, words[0] == "segdl-manifest", let version = Int(words[1]) else {
            throw .foreign
        }
        guard version == Manifest.version else { throw .version(version) }
        let rest = bytes[(headEnd + 1)...]
        guard let payloadEnd = rest.firstIndex(of: newline) else { throw .checksum }
        let payload = rest[...payloadEnd]
        guard Digest.sha256(payload) == words[2] else { throw .checksum }
        guard var manifest = try? JSONDecoder().decode(Manifest.self, from: Data(payload)), manifest.isSound
        else {
            throw .content
        }
        add(rest[(payloadEnd + 1)...], to: &manifest)
        return manifest
    }

    /// Adds the ranges that the journal lists as written. A line that a crash has truncated or corrupted ends
    /// the journal; no later line is trusted.
    private static func add(_ journal: ArraySlice<UInt8>, to manifest: inout Manifest) {
        var written = Manifest.rangeSet(manifest.written, within: manifest.total)
        var rest = journal
        while let end = rest.firstIndex(of: newline) {
            guard let (range, extent) = write(rest[..<end]), range.upperBound <= manifest.total else { break }
            written.insert(contentsOf: range)
            if let extent { manifest.extents?.insert(extent) }
            rest = rest[(end + 1)...]
        }
        manifest.written = Manifest.list(written)
    }

    private static func write(_ line: ArraySlice<UInt8>) -> (ByteRange, Extent?)? {
        let words = String(decoding: line, as: UTF8.self).split(
            separator: " ", omittingEmptySubsequences: false)
        guard words.count == 4 || words.count == 5, words[0] == "+",
            let lower = ContentRange.number(words[1]), let upper = ContentRange.number(words[2]),
            lower < upper, let last = words.last, last == check(words.dropLast().joined(separator: " "))
        else { return nil }
        guard words.count == 5 else { return (lower..<upper, nil) }
        guard let fingerprint = UInt64(words[3], radix: 16) else { return nil }
        return (lower..<upper, Extent(range: lower..<upper, fingerprint: fingerprint))
    }

    /// Returns 32-bit FNV-1a, which is sufficient to detect accidents in a line of three numbers.
    private static func check(_ text: String) -> String {
        var hash: UInt32 = 2_166_136_261
        for byte in text.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return String(hash, radix: 16)
    }

    private static let newline: UInt8 = 0x0a
}
