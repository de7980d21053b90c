/// How many files are active if the caps do not fix it: few large ones, and as many small ones as keep the
/// connections busy.
///
/// A file that one connection fetches costs mostly the wait for its answer, so each of them makes room for
/// three more, and for far more where all requests share a connection: then the first four bring all that are
/// allowed under way. A large file uses further connections by itself.
struct FileWindow: Equatable, Sendable {
    /// The number of large files that are fetched at the same time, and of any before their lengths are
    /// known.
    static let smallest = 4

    /// The number of files that each small one makes room for, over connections of their own and over a
    /// shared one.
    private static let growth = (own: 3, shared: 24)

    private(set) var size = Self.smallest

    /// Learns from a file's first answer.
    ///
    /// - Parameters:
    ///   - isLarge: True if the file is worth several connections although others wait.
    ///   - isShared: True if the answer came over a connection that other requests share.
    ///   - maximum: The most files that the caps allow.
    mutating func found(isLarge: Bool, isShared: Bool = false, upTo maximum: Int) {
        let growth = isShared ? Self.growth.shared : Self.growth.own
        size = isLarge ? max(Self.smallest, size / 2) : min(maximum, size + growth)
    }
}
