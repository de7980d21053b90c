/// The number of active files if the caps do not fix it: few large ones, and as many small ones as keep the
/// connections busy.
///
/// The cost of a file that one connection fetches is mostly the wait for its answer, so each of them admits
/// three more, and far more if all requests share a connection: then the first four start as many as are
/// allowed. A large file itself uses further connections.
struct FileWindow: Equatable, Sendable {
    /// The number of large files that are fetched simultaneously, and of any before their lengths are known.
    static let smallest = 4

    /// The number of files that each small one admits, over separate connections and over a shared one.
    private static let growth = (own: 3, shared: 24)

    private(set) var size = Self.smallest

    /// Learns from a file's first answer.
    ///
    /// - Parameters:
    ///   - isLarge: True if the file is worth several connections although others wait.
    ///   - isShared: True if the answer arrived over a connection that other requests share.
    ///   - maximum: The maximum number of files that the caps allow.
    mutating func found(isLarge: Bool, isShared: Bool = false, upTo maximum: Int) {
        let growth = isShared ? Self.growth.shared : Self.growth.own
        size = isLarge ? max(Self.smallest, size / 2) : min(maximum, size + growth)
    }
}
