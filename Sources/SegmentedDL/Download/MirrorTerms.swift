/// A mirror's terms for a download: a copy that is still good stays as it is, and a complete file is recorded
/// before it has its name.
package struct MirrorTerms: Sendable {
    /// A copy of the file on disk.
    package struct Existing: Sendable {
        /// The condition by which the server tells that the copy is still the file.
        package var condition: Condition
        /// Bytes.
        package var length: Int64
        /// The source that the copy came from; `nil` for the first one. Other sources are not asked about it.
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
        /// The file is fetched if the copy is not the file any more.
        case revalidate(Existing)
        /// The server is only asked. A file that has changed is not fetched; it counts as skipped.
        case checkOnly(Existing?)
    }

    package var mode: Mode

    /// False if an earlier run is known to have left nothing of the file.
    package var mayBeUnfinished = true

    /// Stores the records of complete files before they get their names.
    package var journal: any CompletionJournal

    /// Records a complete file; the journal is stored next.
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

    /// The copy that the server is asked about.
    var existing: Existing? {
        switch mode {
        case .fetch: nil
        case .revalidate(let existing): existing
        case .checkOnly(let existing): existing
        }
    }

    var isCheckOnly: Bool { if case .checkOnly = mode { true } else { false } }
}
