/// The facts about a remote file, from the first answer to a request of which no file was made.
package struct RemoteFile: Sendable {
    package var response: ResponseInfo
    /// The name that the file would get; `nil` if neither the caller nor the server nor the URL has one.
    package var name: String?
    /// True if a lost connection is resumed, and the file may have several connections.
    package var isResumable: Bool
    /// The digest of the whole file that the server sent, and that a download would verify.
    package var digest: Checksum?
}
