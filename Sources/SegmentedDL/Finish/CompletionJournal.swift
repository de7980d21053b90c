internal import SystemPackage

/// The record of complete files, which is stored before they get their names.
package protocol CompletionJournal: AnyObject, Sendable {
    /// Stores all that was recorded. If it throws, none of the files gets its name. Blocks.
    func commit() throws
}

/// A complete and verified file that only lacks its name.
package struct CompleteCopy: Sendable {
    /// The identity that it keeps under its name, its date included.
    package var identity: FileIdentity
    /// The computed digests; SHA-256 is one of them.
    package var digests: [Checksum]
    package var validators: Validators
    /// The source that the validators are of; `nil` for the first one.
    package var source: Source?

    package init(identity: FileIdentity, digests: [Checksum], validators: Validators, source: Source? = nil) {
        self.identity = identity
        self.digests = digests
        self.validators = validators
        self.source = source
    }
}

/// The step right before a complete file gets its name.
enum PublishHook: Sendable {
    /// The delegate is asked, which may refuse by throwing.
    case ask(@Sendable (FilePath, FileIdentity) async throws -> Void)
    /// The file is recorded in a journal, and the journal stored.
    case record(JournalEntry)
}

/// A journal, and the way to record one file in it.
struct JournalEntry: Sendable {
    let journal: any CompletionJournal
    /// Adds the file to the journal; its next `commit` stores it.
    let record: @Sendable (FileIdentity) -> Void
}
