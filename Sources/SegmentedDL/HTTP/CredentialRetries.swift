/// The retries of one request whose credentials the host refuses, with others from their source.
struct CredentialRetries: Equatable, Sendable {
    var field = FieldRetries()
    private var hasRenewedKeys = false

    /// Returns true if the request may be sent again, with another access key. A store that refuses two keys
    /// in a row would refuse further ones too.
    mutating func mayRenewKeys() -> Bool {
        defer { hasRenewedKeys = true }
        return !hasRenewedKeys
    }
}
