/// The action for a file that the server sends encoded (Content-Encoding; RFC 9110, section 8.4).
package enum EncodedContentPolicy: String, Sendable, Hashable, Codable {
    /// Request the file unencoded; encoded content is an error.
    case fail
    /// Request the file unencoded; encoded content is stored as received.
    case store
    /// The server may encode the file, which is stored decoded. It is fetched over one connection, and each
    /// attempt starts at the first byte, because ranges and lengths refer to the encoded bytes.
    case decode
}
