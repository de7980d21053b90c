/// A mirror's requirements for a download: a current copy is kept, and a complete file is recorded before it
/// is renamed.
package struct MirrorTerms: Sendable {
    /// A copy of the file on disk.
    package struct Existing: Sendable {
        /// The condition of the request that revalidates the copy.
        package var condition: Condition
        /// Bytes.
        package var length: Int64
        /// The source that the copy came from; `nil` for the first one. Other sources receive no conditional
        /// request.
        package var source: Source?

        package init(condition: Condition, length: Int64, source: Source? = nil) {
            self.condition = condition
            self.length = length
            self.source = source
        }
    }

    package enum Mode: Sendable {
        /// The file is fetched.
        case fetch
        /// The file is fetched if the copy is outdated.
        case revalidate(Existing)
        /// Only a conditional request is sent. A changed file is not fetched; it counts as skipped.
        case checkOnly(Existing?)
    }

    package var mode: Mode

    /// False if no part of the file was left by an earlier run.
    package var mayBeUnfinished = true

    /// Stores the records of complete files before they are renamed.
    package var journal: any CompletionJournal

    /// Records a complete file; the journal is committed next.
    package var record: @Sendable (CompleteCopy) -> Void

    package init(
        mode: Mode, mayBeUnfinished: Bool = true, journal: any CompletionJournal,
        record: @escaping @Sendable (CompleteCopy) -> Void
    ) {
        self.mode = mode
        self.mayBeUnfinished = mayBeUnfinished
        self.journal = journal
        self.record = record
    }

    /// The copy to revalidate.
    var existing: Existing? {
        switch mode {
        case .fetch: nil
        case .revalidate(let existing): existing
        case .checkOnly(let existing): existing
        }
    }

    var isCheckOnly: Bool { if case .checkOnly = mode { true } else { false } }
}
