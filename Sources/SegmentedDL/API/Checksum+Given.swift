#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Checksum {
    /// Parses user input: `ALGO=HEX` or `ALGO:HEX`; a bare digest, as web sites show it, whose length implies
    /// the algorithm; or an integrity value (`sha256-BASE64`). White space around it is ignored.
    ///
    /// - Throws: The errors of `init(parsing:)`.
    package init(given text: String) throws(DownloadError) {
        var given = text[...].drop { $0.isWhitespace }
        while given.last?.isWhitespace ?? false { given.removeLast() }
        if let checksum = Self.integrity(given) {
            self = checksum
            return
        }
        // SHA-1 rather than a Git object ID, which has the same length: no web site shows Git IDs for files.
        if let algorithm = Algorithm.hashes.first(where: { $0.length * 2 == given.utf8.count }),
            given.allSatisfy({ $0.isASCII && $0.isHexDigit })
        {
            try self.init(algorithm, String(given))
            return
        }
        if !given.contains("="), let colon = given.firstIndex(of: ":") {
            given.replaceSubrange(colon...colon, with: "=")
        }
        try self.init(parsing: String(given))
    }

    /// Reads an integrity value of a web page (W3C, Subresource Integrity); `nil` for other text.
    private static func integrity(_ text: Substring) -> Checksum? {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let algorithm = Algorithm(rawValue: parts[0].lowercased()),
            [.sha256, .sha384, .sha512].contains(algorithm),
            let digest = Data(base64Encoded: String(parts[1])), digest.count == algorithm.length
        else { return nil }
        return Checksum(algorithm, digest: Array(digest))
    }
}
