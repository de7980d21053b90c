package import SegmentedDL

/// The part of a client's call that the queue does not keep: aria2's options by their names, headers and
/// passwords among them.
package struct Job: Sendable, Equatable, Codable {
    /// The values of an option; only `header` may have several.
    package var options: [String: [String]] = [:]
    /// The place that the digest of its options was taken from; `nil` if a person or a program named it.
    package var checksumOrigin: ChecksumOrigin?

    /// Digests of the file's pieces, which a Metalink named.
    package var pieces: PieceHashes?
    /// The length in bytes that a Metalink named.
    package var length: Int64?

    package init(options: [String: [String]] = [:]) {
        self.options = options
    }
}
