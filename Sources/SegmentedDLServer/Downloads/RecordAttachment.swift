package import SegmentedDL
package import SegmentedDLOptions
package import SegmentedDLQueue

/// The data of a download that its record in the queue must not contain: secrets, and digests of pieces,
/// which are too large for a row that is written every second.
package struct RecordAttachment: Sendable, Equatable {
    /// aria2's options as received by the RPC, header fields and credentials included, for aria2.getOption.
    /// Only `header` may have several values. The download's settings are in its request.
    package var options: [String: [String]] = [:]
    /// The header fields and credentials of a download that was added as a request; `nil` for one that was
    /// added by options, or has neither.
    package var access: StoredAuthorization?
    /// Digests of the file's pieces, from a Metalink.
    package var pieces: PieceHashes?

    package init(options: [String: [String]] = [:]) {
        self.options = options
    }

    init(_ authorization: Authorization) {
        if authorization != Authorization() { access = StoredAuthorization(authorization) }
    }

    /// The values of aria2's options, and the daemon's defaults.
    package var values: Aria2Values { Aria2Values(options, defaults: .call) }

    package func value(_ name: String) -> String? { options[name]?.first }

    /// Replaces an asterisk with the download's own URL (aria2's manual, --referer).
    mutating func fillReferer(from source: Source?) {
        guard value("referer") == "*", let source else { return }
        options["referer"] = [source.url]
    }

    /// Header fields and credentials for the server.
    package var authorization: Authorization {
        access?.authorization
            ?? Authorization(headers: values.headers(for: nil), credentials: values.credentials)
    }
}

extension RecordAttachment: Codable {
    /// Versions up to 0.2.0 wrote no format; see ``EarlierSettings``.
    private static let format = 1

    private enum CodingKeys: String, CodingKey { case format, options, access, pieces }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        options = try values.decode([String: [String]].self, forKey: .options)
        access = try values.decodeIfPresent(StoredAuthorization.self, forKey: .access)
        pieces = try values.decodeIfPresent(PieceHashes.self, forKey: .pieces)
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(Self.format, forKey: .format)
        // Version 0.2.0 requires them.
        try values.encode(options, forKey: .options)
        try values.encodeIfPresent(access, forKey: .access)
        try values.encodeIfPresent(pieces, forKey: .pieces)
    }
}
