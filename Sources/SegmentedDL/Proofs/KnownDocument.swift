#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The digests by file name in documents that are not line-based lists.
enum KnownDocument {
    /// Returns the names and the digests of a release's assets (GitHub's REST API, "Get a release by tag
    /// name").
    ///
    /// - Throws: `DecodingError` for another document.
    static func assets(in document: [UInt8]) throws -> (digests: [String: Checksum], names: [String]) {
        struct Release: Decodable {
            struct Asset: Decodable {
                var name: String
                var digest: String?
            }
            var assets: [Asset]
        }
        let assets = try JSONDecoder().decode(Release.self, from: Data(document)).assets
        let found = digests(
            of: assets.map { asset in
                let parts = asset.digest?.split(separator: ":") ?? []
                return (
                    asset.name, parts.count == 2 ? try? Checksum(parsing: parts.joined(separator: "=")) : nil
                )
            })
        return (found, assets.map(\.name))
    }

    /// Returns the SHA-256 of each file of a Python project (PEP 691).
    ///
    /// - Throws: `DecodingError` for another document.
    static func distributions(in document: [UInt8]) throws -> [String: Checksum] {
        struct Project: Decodable {
            struct File: Decodable {
                var filename: String
                var hashes: [String: String]
            }
            var files: [File]
        }
        let files = try JSONDecoder().decode(Project.self, from: Data(document)).files
        return digests(
            of: files.map { ($0.filename, $0.hashes["sha256"].flatMap { try? Checksum(.sha256, $0) }) })
    }

    private static func digests(of files: [(String, Checksum?)]) -> [String: Checksum] {
        var digests: [String: Checksum] = [:]
        for case (let name, let digest?) in files { digests[name] = digest }
        return digests
    }
}
