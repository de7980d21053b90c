/// A file in a hub or store, identified by text that is resolved to a URL when the download starts, with the
/// endpoint and keys of the running process, which are not stored.
package enum FileLocation: Sendable, Hashable {
    case hub(HubLocation)
    case object(S3Location)

    /// Parses a location.
    ///
    /// - Returns: `nil` if the text has another scheme.
    /// - Throws: `DownloadError` with code `invalidURL` if it does not name a file.
    package init?(_ text: String) throws(DownloadError) {
        switch LocationScheme(of: text) {
        case nil: return nil
        case .hub:
            let location = try HubLocation(text)
            try location.checkNamesFile()
            self = .hub(location)
        case .object:
            let location = try S3Location(text)
            try location.checkNamesObject()
            self = .object(location)
        case .image:
            throw DownloadError(
                .invalidURL,
                "'\(Printable.text(text))' is an image, which consists of several files; mirror it."
            ).remedied(by: .mirror)
        }
    }

    /// The location as text, which the initializer reads.
    package var text: String {
        switch self {
        case .hub(let location): location.text
        case .object(let location): location.text
        }
    }

    /// The path in the repository or bucket.
    package var path: String {
        switch self {
        case .hub(let location): location.path
        case .object(let location): location.key
        }
    }

    /// The scheme, and the repository or bucket in place of a host. No request is sent to it.
    var origin: Origin {
        switch self {
        case .hub(let location):
            Origin(scheme: LocationScheme.hub.rawValue, host: location.repository, port: 0)
        case .object(let location):
            Origin(scheme: LocationScheme.object.rawValue, host: location.bucket, port: 0)
        }
    }
}
