/// A view of a run. It is called with snapshots a few times a second, and once for each file that ends.
protocol ProgressRenderer: Sendable {
    /// Shows the current state. Files may appear, change their order and vanish between two calls.
    mutating func update(_ overall: Overall, _ files: [FileSnapshot])
    /// Shows an ended file. It is never shown as active again, even if a later update still lists it.
    mutating func finished(_ file: FileSnapshot, outcome: FileOutcome)
    /// Shows a message that belongs to no file.
    mutating func message(_ text: String)
    /// Shows the end of the run: no further call follows.
    mutating func end(_ overall: Overall)
}
