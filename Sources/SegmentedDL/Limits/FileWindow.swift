/// How many files are active if the caps do not fix it: few large ones, and as many small ones as keep the
/// connections busy.
///
/// A file that one connection fetches costs mostly the wait for its answer, so each of them makes room for
/// three more: a row of them has 100 files under way after three round trips. A file that can be divided uses
/// further connections by itself.
struct FileWindow: Equatable, Sendable {
    /// The number of large files that are fetched at the same time, and of any before their lengths are
    /// known.
    static let smallest = 4

    /// The number of files that each small one makes room for.
    private static let growth = 3

    private(set) var size = Self.smallest

    /// Learns from a file's first answer.
    ///
    /// - Parameters:
    ///   - isDivisible: True if the file can use more connections than one.
    ///   - maximum: The most files that the caps allow.
    mutating func found(isDivisible: Bool, upTo maximum: Int) {
        size = isDivisible ? max(Self.smallest, size / 2) : min(maximum, size + Self.growth)
    }
}
