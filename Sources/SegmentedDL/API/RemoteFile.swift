/// The facts about a remote file, from the first response to a request that stores no file.
public struct RemoteFile: Sendable, Hashable {
    /// The server's response, including the ETag and Last-Modified fields.
    public var response: ResponseInfo
    /// The name that a download would use; `nil` if neither the caller nor the server nor the URL provides
    /// one.
    public var name: String?
    /// True if a lost connection can be resumed, and the file may have several connections.
    public var isResumable: Bool
    /// The digest of the whole file as sent by the server, which a download would verify.
    public var digest: Checksum?

    /// The file's length in bytes; `nil` if the server does not state it.
    public var length: Int64? { response.length }

    /// Creates the facts from their parts, for use in tests.
    public init(
        response: ResponseInfo, name: String? = nil, isResumable: Bool = true, digest: Checksum? = nil
    ) {
        self.response = response
        self.name = name
        self.isResumable = isResumable
        self.digest = digest
    }
}
