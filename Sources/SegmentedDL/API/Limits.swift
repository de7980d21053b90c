/// Caps over all downloads of one `Downloader`.
public struct Limits: Sendable, Hashable {
    /// The maximum number of files that are downloaded at the same time.
    public var activeFiles = FileCount.automatic

    /// The maximum number of open connections. 1 or more.
    public var connections = 16

    /// The maximum number of open connections to one host and port, including idle ones. 1 or more.
    public var connectionsPerHost = 8

    /// The maximum number of concurrent requests to one host and port where they share a connection (HTTP/2).
    /// 1 or more; the server's SETTINGS_MAX_CONCURRENT_STREAMS (RFC 9113, 6.5.2) may allow fewer.
    public var requestsPerHost = 128

    /// The order in which waiting files start.
    public var queueOrder = QueueOrder.fifo

    /// Bytes per second over all downloads, 1 or more; `nil` for no limit.
    public var rate: Int64?

    /// The maximum number of active files with `automatic`; `nil` to derive it from the other caps. Not
    /// stored.
    package var mostAutomaticFiles: Int?

    /// Creates the default caps.
    public init() {}

    /// Returns the maximum number of connections for a file available from `hosts` hosts.
    func connections(over hosts: Int) -> Int {
        let (count, isTooMuch) = connectionsPerHost.multipliedReportingOverflow(by: hosts)
        return isTooMuch ? connections : min(connections, count)
    }

    /// The maximum number of active files: with `automatic` the number of requests plus twice the number of
    /// connections, because a file being flushed to disk no longer has a connection.
    package var mostActiveFiles: Int {
        if let count = activeFiles.fixed ?? mostAutomaticFiles { return count }
        let (count, isTooMuch) = max(4, Self.twice(connections)).addingReportingOverflow(requestsPerHost)
        return isTooMuch ? .max : count
    }

    /// The maximum number of prepared files of a mirror, or groups of known copies: twice the number of
    /// active ones, so that one is ready when another ends.
    package var begunFiles: Int { Self.twice(mostActiveFiles) }

    private static func twice(_ count: Int) -> Int {
        let (twice, isTooMuch) = count.multipliedReportingOverflow(by: 2)
        return isTooMuch ? .max : twice
    }

    /// Checks all caps.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` that names the setting and its range.
    func validate() throws(DownloadError) {
        let files = activeFiles.fixed ?? 1
        try require(files >= 1, "The number of active files is \(files); it must be 1 or more.")
        try require(connections >= 1, "The number of connections is \(connections); it must be 1 or more.")
        try require(
            connectionsPerHost >= 1,
            "The number of connections per host is \(connectionsPerHost); it must be 1 or more.")
        try require(
            requestsPerHost >= 1,
            "The number of requests per host is \(requestsPerHost); it must be 1 or more.")
        try require(rate ?? 1 >= 1, "The rate limit is \(rate ?? 0) bytes per second; it must be 1 or more.")
    }
}

/// Encoded as an object, for the preferences of a program. A missing member gets its default.
extension Limits: Codable {
    private enum CodingKeys: String, CodingKey {
        case activeFiles, connections, connectionsPerHost, requestsPerHost, queueOrder, rate
    }

    /// Decodes caps. They are checked when they are used.
    ///
    /// - Throws: `DecodingError` if a member is of the wrong type.
    public init(from decoder: any Decoder) throws {
        self.init()
        let values = try decoder.container(keyedBy: CodingKeys.self)
        activeFiles = try values.decodeIfPresent(FileCount.self, forKey: .activeFiles) ?? activeFiles
        connections = try values.decodeIfPresent(Int.self, forKey: .connections) ?? connections
        connectionsPerHost =
            try values.decodeIfPresent(Int.self, forKey: .connectionsPerHost) ?? connectionsPerHost
        requestsPerHost = try values.decodeIfPresent(Int.self, forKey: .requestsPerHost) ?? requestsPerHost
        queueOrder = try values.decodeIfPresent(QueueOrder.self, forKey: .queueOrder) ?? queueOrder
        rate = try values.decodeIfPresent(Int64.self, forKey: .rate)
    }

    /// Encodes all caps.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(activeFiles, forKey: .activeFiles)
        try values.encode(connections, forKey: .connections)
        try values.encode(connectionsPerHost, forKey: .connectionsPerHost)
        try values.encode(requestsPerHost, forKey: .requestsPerHost)
        try values.encode(queueOrder, forKey: .queueOrder)
        try values.encodeIfPresent(rate, forKey: .rate)
    }
}
