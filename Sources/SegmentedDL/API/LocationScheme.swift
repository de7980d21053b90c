/// The schemes other than http and https: locations of files, directories and images in a store.
package enum LocationScheme: String, Sendable, CaseIterable {
    /// A bucket of an S3-compatible store.
    case object = "s3"
    /// A repository of a model hub.
    case hub = "hf"
    /// An image in a registry.
    case image = "oci"

    /// Returns the scheme of a text, in lower or upper case; `nil` if it has none of them.
    package init?(of text: some StringProtocol) {
        let named = Self.allCases.first { scheme in
            [scheme.prefix, scheme.prefix.uppercased()].contains { text.utf8.starts(with: $0.utf8) }
        }
        guard let named else { return nil }
        self = named
    }

    /// The prefix of its locations.
    package var prefix: String { rawValue + "://" }

    /// Returns the part of a location's text after the scheme.
    ///
    /// - Throws: `DownloadError` with code `invalidURL` if the text has another scheme.
    package func rest(of text: String) throws(DownloadError) -> Substring.UTF8View {
        guard LocationScheme(of: text) == self else {
            throw DownloadError(.invalidURL, "'\(Printable.text(text))' does not begin with \(prefix).")
        }
        return Substring(text).utf8.dropFirst(prefix.utf8.count)
    }
}
