extension ResponseInfo {
    /// The most bytes of header fields that are stored.
    private static let storedBytes = 4096

    /// Returns the response as it may be stored: without cookies, without the credentials and the signature
    /// of the URL that answered, and without the fields behind the first 4 KiB.
    package var storable: ResponseInfo {
        var stored = self
        let final = finalSource.withoutCredentials
        let unsigned = SignedQuery.unsigned(final.url).flatMap { try? Source($0) }
        stored.finalSource = finalSource == source ? source.withoutCredentials : unsigned ?? final
        stored.source = source.withoutCredentials
        stored.fields = []
        var room = Self.storedBytes
        for field in fields where field.name.lowercased() != "set-cookie" {
            room -= field.name.utf8.count + field.value.utf8.count
            guard room >= 0 else { break }
            stored.fields.append(field)
        }
        return stored
    }
}
