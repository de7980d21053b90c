#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A manifest as bytes: one line that names the format and guards the rest, then JSON.
///
///     segdl-manifest 1 <SHA-256 of all that follows this line>
///     {"url": …}
enum ManifestCodec {
    /// A manifest longer than this is not read: tens of thousands of ranges fit in it.
    static let longest = 4 * 1024 * 1024

    /// Why bytes are no manifest of ours.
    enum Damage: Error, Equatable {
        case foreign
        case version(Int)
        case checksum
        case content
    }

    static func encode(_ manifest: Manifest) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let payload = try encoder.encode(manifest) + [0x0a]
        return Array("segdl-manifest \(Manifest.version) \(Digest.sha256(payload))\n".utf8) + payload
    }

    static func decode(_ bytes: [UInt8]) throws(Damage) -> Manifest {
        guard let newline = bytes.prefix(128).firstIndex(of: 0x0a) else { throw .foreign }
        let words = String(decoding: bytes[..<newline], as: UTF8.self).split(separator: " ")
        guard words.count == 3, words[0] == "segdl-manifest", let version = Int(words[1]) else { throw .foreign }
        guard version == Manifest.version else { throw .version(version) }
        let payload = bytes[(newline + 1)...]
        guard Digest.sha256(payload) == words[2] else { throw .checksum }
        guard let manifest = try? JSONDecoder().decode(Manifest.self, from: Data(payload)), manifest.isSound else {
            throw .content
        }
        return manifest
    }
}
