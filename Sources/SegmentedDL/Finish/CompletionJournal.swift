/// The record of complete files, which is stored before they are renamed.
package protocol CompletionJournal: AnyObject, Sendable {
    /// Stores all records. If it throws, none of the files is renamed. Blocks.
    func commit() throws
}

/// A complete and verified file before its rename.
package struct CompleteCopy: Sendable {
    /// The identity that it keeps under its final name, including its date.
    package var identity: FileIdentity
    /// The computed digests, including SHA-256.
    package var digests: [Checksum]
    package var validators: Validators
    /// The source of the validators; `nil` for the first one.
    package var source: Source?
    /// The computed digests that were expected.
    package var proofs: [DigestProof]
    /// The server that sent the first bytes, after redirects; `nil` if unknown.
    package var server: Source?

    package init(
        identity: FileIdentity, digests: [Checksum], validators: Validators, source: Source? = nil,
        proofs: [DigestProof] = [], server: Source? = nil
    ) {
        self.identity = identity
        self.digests = digests
        self.validators = validators
        self.source = source
        self.proofs = proofs
        self.server = server
    }
}
