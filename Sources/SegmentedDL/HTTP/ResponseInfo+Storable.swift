extension ResponseInfo {
    /// The maximum number of bytes of header fields that are stored.
    private static let storedBytes = 4096

    /// Returns the response for storage: without cookies, without the credentials and the signature of the
    /// final URL, and without the fields after the first 4 KiB.
    package var storable: ResponseInfo {
        var stored = self
        let final = finalSource.withoutCredentials
        let unsigned = SignedQuery.unsigned(final.url).flatMap { try? Source($0) }
        stored.finalSource = finalSource == source ? source.withoutCredentials : unsigned ?? final
        stored.source = source.withoutCredentials
        stored.headers = []
        var room = Self.storedBytes
        for field in headers where field.name.lowercased() != "set-cookie" {
            room -= field.name.utf8.count + field.value.utf8.count
            guard room >= 0 else { break }
            stored.headers.append(field)
        }
        return stored
    }
}
