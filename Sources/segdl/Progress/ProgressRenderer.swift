/// Shows a run: called with snapshots a few times a second, and once for each file that ends.
protocol ProgressRenderer: Sendable {
    /// How things are now. Files may appear, change their order and vanish between two calls.
    mutating func update(_ overall: Overall, _ files: [FileSnapshot])
    /// A file is over; it is not shown as active again, also if a later update still lists it.
    mutating func finished(_ file: FileSnapshot, outcome: FileOutcome)
    /// Something to tell that belongs to no file.
    mutating func message(_ text: String)
    /// Nothing more comes.
    mutating func end(_ overall: Overall)
}
