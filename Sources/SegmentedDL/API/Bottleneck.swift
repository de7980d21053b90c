/// The thing that held a download back for most of its time, as far as measurement shows it.
public struct Bottleneck: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The kind of a bottleneck. Kinds can be added.
    public struct Kind: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
        /// The name, as in `docs/json-progress.md`.
        public let rawValue: String

        /// Creates a kind from its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The name.
        public var description: String { rawValue }

        /// The server's limit for each connection: more connections brought more in proportion.
        public static let connectionRate = Kind(rawValue: "connection-rate")
        /// The line, or the server's limit for all connections together: more connections brought nothing.
        public static let line = Kind(rawValue: "line")
        /// The loss of packets on a line with a long round trip, which slows each connection down.
        public static let loss = Kind(rawValue: "loss")
        /// The round trip to the server: the file is complete before its connections are fast (slow start,
        /// RFC 5681).
        public static let roundTrip = Kind(rawValue: "round-trip")
        /// The caller's cap on the connections of one file.
        public static let segmentCap = Kind(rawValue: "segment-cap")
        /// The cap on all connections, ``Limits/connections``.
        public static let connectionCap = Kind(rawValue: "connection-cap")
        /// The cap on the connections to one host, ``Limits/connectionsPerHost``.
        public static let hostCap = Kind(rawValue: "host-cap")
        /// The cap on the requests to one host, ``Limits/requestsPerHost``.
        public static let requestCap = Kind(rawValue: "request-cap")
        /// The cap on the speed of all downloads, ``Limits/rate``.
        public static let rateCap = Kind(rawValue: "rate-cap")
        /// The cap on the speed of one file, ``DownloadRequest/rate``.
        public static let fileRateCap = Kind(rawValue: "file-rate-cap")
        /// The host's refusals, such as 429 and 503, or connections that it did not accept.
        public static let refusals = Kind(rawValue: "refusals")
        /// The server's answers: it was silent.
        public static let answers = Kind(rawValue: "answers")
        /// The server sends no byte ranges, so that there cannot be a second connection.
        public static let noRanges = Kind(rawValue: "no-ranges")
        /// The disk: writes waited for it.
        public static let disk = Kind(rawValue: "disk")
        /// The processor: a thread that receives or hashes had no rest.
        public static let processor = Kind(rawValue: "processor")
    }

    /// The kind.
    public var kind: Kind
    /// The part of the time for which it was so, from 0.5 to 1.
    public var share: Double
    /// The connections that were at work on average, or those that the cap allows; `nil` where they do not
    /// matter.
    public var connections: Int?
    /// Bytes per second: those of each connection, or those that the line or the cap allows; `nil` where they
    /// do not matter.
    public var bytesPerSecond: Double?
    /// Seconds of the round trip to the server; `nil` where it does not matter.
    public var roundTrip: Double?

    /// Creates a bottleneck from its parts, for the tests and previews of programs that display it.
    ///
    /// - Parameters:
    ///   - kind: The kind.
    ///   - share: The part of the time.
    ///   - connections: The number of connections that goes with the kind.
    ///   - bytesPerSecond: The speed that goes with the kind.
    ///   - roundTrip: The round trip that goes with the kind, in seconds.
    public init(
        _ kind: Kind, share: Double, connections: Int? = nil, bytesPerSecond: Double? = nil,
        roundTrip: Double? = nil
    ) {
        self.kind = kind
        self.share = share
        self.connections = connections
        self.bytesPerSecond = bytesPerSecond
        self.roundTrip = roundTrip
    }
}
