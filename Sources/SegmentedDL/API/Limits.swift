/// Caps over everything that one `Downloader` runs.
public struct Limits: Sendable, Hashable {
    /// How many files are downloaded at the same time. 1 to 100,000.
    public var activeFiles = 4

    /// How many connections are open at the same time. 1 to 100,000.
    public var connections = 16

    /// How many connections are open to one host and port at the same time. 1 to 100,000.
    public var connectionsPerHost = 8

    /// Which waiting file starts next.
    public var queueOrder = QueueOrder.fifo

    /// Bytes per second over all downloads, 1 or more; `nil` for no limit.
    public var rate: Int64?

    /// The defaults.
    public init() {}

    /// - Throws: `DownloadError` with code `invalidSetting` that names the setting and its range.
    func validate() throws(DownloadError) {
        let caps = [
            ("active files", activeFiles), ("connections", connections),
            ("connections per host", connectionsPerHost),
        ]
        for (name, cap) in caps {
            try require(
                (1...100_000).contains(cap), "The number of \(name) is \(cap); it must be from 1 to 100000.")
        }
        try require(rate ?? 1 >= 1, "The rate limit is \(rate ?? 0) bytes per second; it must be 1 or more.")
    }
}
