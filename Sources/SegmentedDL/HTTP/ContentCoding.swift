/// The codings that a server announces in Content-Encoding (RFC 9110, section 8.4).
enum ContentCoding {
    private static let gzip = [
        ".gz", ".gzip", ".tgz", ".taz", ".svgz", ".bgz", ".bgzf", ".bam", ".bcf", ".apk", ".crate", ".ipk",
        ".emz",
        ".wmz", ".adz", ".cpgz", ".dz", ".unitypackage",
    ]
    private static let compress = [".z"]
    private static let bzip2 = [".bz2", ".tbz", ".tbz2"]
    private static let xz = [".xz", ".txz"]
    private static let endings = [
        "gzip": gzip, "x-gzip": gzip, "compress": compress, "x-compress": compress, "bzip2": bzip2,
        "x-bzip2": bzip2, "xz": xz, "x-xz": xz, "br": [".br"], "zstd": [".zst", ".tzst"],
    ]

    /// The codings in IANA's registry that change the bytes (RFC 9110, section 8.4.1), and some unregistered
    /// ones that are in use.
    private static let registered: Set = [
        "aes128gcm", "br", "compress", "dcb", "dcz", "deflate", "exi", "gzip", "pack200-gzip", "x-compress",
        "x-gzip", "zstd", "bzip2", "x-bzip2", "lz4", "lzma", "snappy", "xz", "x-xz", "x-zstd",
    ]

    /// Returns true if a value of Content-Encoding names a coding. Some servers put a character set there, or
    /// `none` or `binary`, and send the file unencoded.
    ///
    /// - Parameter field: A value of Content-Encoding, which is a list.
    static func isCoding(_ field: String) -> Bool {
        field.split(separator: ",").contains(where: isRegistered)
    }

    private static func isRegistered(_ coding: Substring) -> Bool {
        registered.contains(coding.trimmingBlanks().lowercased())
    }

    /// The codings that any common HTTP client decodes. All clients store content in other codings as
    /// received.
    private static let decodedSomewhere: Set = ["br", "deflate", "gzip", "x-gzip", "x-zstd", "zstd"]

    /// Returns true if any common client decodes the content, so that the file may be the decoded content.
    ///
    /// - Parameter field: A value of Content-Encoding, which is a list.
    static func isDecodedSomewhere(_ field: String) -> Bool {
        field.split(separator: ",").contains {
            decodedSomewhere.contains($0.trimmingBlanks().lowercased())
        }
    }

    /// The codings that libcurl may offer and decode (CURLOPT_ACCEPT_ENCODING).
    private static let decoded: Set = ["gzip", "x-gzip", "deflate", "br", "zstd"]

    /// Returns true if libcurl may decode the content.
    ///
    /// - Parameter field: A value of Content-Encoding, which is a list.
    static func isDecoded(_ field: String) -> Bool {
        field.split(separator: ",").filter(isRegistered).allSatisfy {
            decoded.contains($0.trimmingBlanks().lowercased())
        }
    }

    /// Returns true if a file with this name is compressed.
    static func isCompressed(_ name: String) -> Bool {
        let name = name.lowercased()
        return endings.values.contains { $0.contains { name.hasSuffix($0) } }
    }

    /// Returns true if the coding merely repeats the file's name: many servers announce `gzip` for
    /// `a.tar.gz`, and send the file unencoded.
    static func isOfName(_ coding: String, _ name: String) -> Bool {
        let name = name.lowercased()
        return endings[coding.lowercased()]?.contains { name.hasSuffix($0) } ?? false
    }

    /// The media subtypes of compressed files, without `x-` (Apache's `mime.types`).
    private static let types = [
        "gzip": ["gzip", "compressed-tar", "tgz", "gtar-compressed"], "compress": ["compress"],
        "bzip2": ["bzip", "bzip2", "bzip-compressed-tar"], "xz": ["xz", "xz-compressed-tar"],
        "zstd": ["zstd"],
    ]

    /// Returns true if the coding merely repeats the media type: Apache's AddEncoding announces `x-gzip` with
    /// the type `application/x-gzip`, and sends the file unencoded.
    ///
    /// - Parameter type: A value of Content-Type.
    static func isOfType(_ coding: String, _ type: String) -> Bool {
        let type = type.prefix { $0 != ";" }.trimmingBlanks().lowercased()
        guard type.hasPrefix("application/") else { return false }
        func plain(_ text: some StringProtocol) -> String {
            String(text.hasPrefix("x-") ? text.dropFirst(2) : text[...])
        }
        return types[plain(coding.lowercased())]?.contains(plain(type.dropFirst(12))) ?? false
    }
}

extension EncodedContentPolicy {
    /// Returns the policy for one request.
    ///
    /// - Parameter names: The known names of the file. If one of them is that of a compressed file, nothing
    ///   is decoded: many servers announce `gzip` for `a.tar.gz`, and send the file unencoded.
    func forFile(named names: [String]) -> EncodedContentPolicy {
        self == .decode && names.contains(where: ContentCoding.isCompressed) ? .fail : self
    }
}
