/// Finds the source that caused a wrong digest: source by source, the bytes it wrote are fetched again from
/// the others.
///
/// The source with the fewest bytes is suspected first. If it was not the cause, it is used again, and the
/// next one is suspected, including the bytes that it has written since. A single corrupt source is found
/// once each has been suspected, at the latest.
struct SuspectSearch: Equatable, Sendable {
    /// The sources suspected so far, in order.
    private var suspects: [Source.Index] = []

    /// The last source whose bytes were fetched again.
    var last: Source.Index? { suspects.last }

    /// True if only one source has been suspected.
    var isFirst: Bool { suspects.count == 1 }

    /// Returns the next suspect.
    ///
    /// - Parameters:
    ///   - contributors: The sources that wrote parts of the file, in the order in which they are suspected.
    ///   - usable: The sources that may still be used.
    /// - Returns: `nil` if each has been suspected, or no other source is left to fetch the bytes from.
    mutating func next(_ contributors: [Source.Index], usable: [Source.Index]) -> Source.Index? {
        guard let suspect = contributors.first(where: { !suspects.contains($0) }),
            usable.contains(where: { $0 != suspect })
        else { return nil }
        suspects.append(suspect)
        return suspect
    }
}
