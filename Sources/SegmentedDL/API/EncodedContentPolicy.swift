/// The action for a file that the server sends encoded (Content-Encoding; RFC 9110, section 8.4).
package enum EncodedContentPolicy: String, Sendable, Hashable, Codable {
    /// The server is asked for the file as it is, and encoded content is an error.
    case fail
    /// The server is asked for the file as it is, and encoded content is stored as it comes.
    case store
    /// The server may encode the file, which is stored decoded: over one connection, and from its first byte
    /// at each try, because ranges and lengths are those of the encoded bytes.
    case decode
}
