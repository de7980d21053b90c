/// A snapshot of a run.
struct RunSnapshot: Sendable {
    let overall: Overall
    let files: [FileSnapshot]

    /// - Parameter tally: The files of the run that are not in `files`.
    init(_ files: [FileSnapshot], _ tally: FileTally) {
        self.init(Overall(files, unlisted: tally), files)
    }

    init(_ overall: Overall, _ files: [FileSnapshot]) {
        self.overall = overall
        self.files = files
    }
}
