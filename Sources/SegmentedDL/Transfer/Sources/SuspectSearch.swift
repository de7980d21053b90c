/// Finds the source that made a file's digest wrong: the bytes of one source after the other are fetched
/// again from the others.
///
/// The source with the fewest bytes has the first turn. If it was not the one, it is used again, and the next
/// source has its turn, with all that it wrote since. A single corrupt source is found at the latest when
/// each has had its turn.
struct SuspectSearch: Equatable, Sendable {
    /// The sources that have been suspected, in turn.
    private var suspects: [Source.Index] = []

    /// The source whose bytes were fetched again last.
    var last: Source.Index? { suspects.last }

    /// True if no other source's bytes were fetched again.
    var isFirst: Bool { suspects.count == 1 }

    /// Returns the next suspect.
    ///
    /// - Parameters:
    ///   - contributors: The sources that wrote some of the file, in the order of their turns.
    ///   - usable: The sources that may still be used.
    /// - Returns: `nil` if each has had its turn, or none is left to fetch the bytes from.
    mutating func next(_ contributors: [Source.Index], usable: [Source.Index]) -> Source.Index? {
        guard let suspect = contributors.first(where: { !suspects.contains($0) }),
            usable.contains(where: { $0 != suspect })
        else { return nil }
        suspects.append(suspect)
        return suspect
    }
}
