internal import SystemPackage

/// Encoded as the URL, or the location in a hub or store, without credentials.
extension Source: Codable {
    /// Decodes a URL.
    ///
    /// - Throws: `DecodingError` if the value is not a string, `DownloadError` with code `invalidURL` if the
    ///   string is not an http or https URL, nor a location.
    public init(from decoder: any Decoder) throws {
        try self.init(named: decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the URL, without credentials.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(url)
    }
}

/// Encoded as an object with one member: `file` or `directory`.
extension DownloadRequest.Destination: Codable {
    private enum CodingKeys: String, CodingKey { case file, directory }

    /// Decodes an object with a member `file` or `directory`.
    ///
    /// - Throws: `DecodingError` if neither member exists.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let file = try container.decodeIfPresent(String.self, forKey: .file) {
            self = .file(FilePath(file))
        } else {
            self = .directory(FilePath(try container.decode(String.self, forKey: .directory)))
        }
    }

    /// Encodes an object with a member `file` or `directory`.
    ///
    /// - Throws: `EncodingError` for a descriptor, which has no meaning outside its process.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .file(let path): try container.encode(path.string, forKey: .file)
        case .directory(let path): try container.encode(path.string, forKey: .directory)
        case .descriptor:
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath, debugDescription: "A descriptor cannot be stored."))
        }
    }
}
