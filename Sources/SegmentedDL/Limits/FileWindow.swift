/// The number of active files if the caps do not fix it: a few large ones, and as many small ones as are
/// needed to keep the connections busy.
///
/// A file that one connection fetches mostly waits for its response, so each of them admits three more files,
/// or far more if all requests share a connection: the first four then admit as many as are allowed. A large
/// file uses further connections itself.
struct FileWindow: Equatable, Sendable {
    /// The maximum number of concurrent large files, and of any files whose lengths are still unknown.
    static let smallest = 4

    /// The number of files that each small one admits, over separate connections and over a shared one.
    private static let growth = (own: 3, shared: 24)

    private(set) var size = Self.smallest

    /// Updates the window after a file's first response.
    ///
    /// - Parameters:
    ///   - isLarge: True if the file is worth several connections even while others wait.
    ///   - isShared: True if the response arrived over a connection that other requests share.
    ///   - maximum: The maximum number of files that the caps allow.
    mutating func found(isLarge: Bool, isShared: Bool = false, upTo maximum: Int) {
        let growth = isShared ? Self.growth.shared : Self.growth.own
        size = isLarge ? max(Self.smallest, size / 2) : min(maximum, size + growth)
    }
}
