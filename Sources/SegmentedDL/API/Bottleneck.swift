/// The main limit of a download's speed, as measured.
public struct Bottleneck: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The kind of a bottleneck. Later versions may add kinds.
    public struct Kind: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
        /// The name, as in `docs/json-progress.md`.
        public let rawValue: String

        /// Creates a kind from its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The name.
        public var description: String { rawValue }

        /// The server limits each connection: the speed grew in proportion to the number of connections.
        public static let connectionRate = Kind(rawValue: "connection-rate")
        /// The link is saturated, or the server limits all connections together: more connections were not
        /// faster.
        public static let line = Kind(rawValue: "line")
        /// Packet loss on a link with a long round-trip time slows down each connection.
        public static let loss = Kind(rawValue: "loss")
        /// The round-trip time to the server is long: the file is complete before its connections reach full
        /// speed (slow start, RFC 5681).
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
        /// The host refused requests, with 429 or 503 for example, or did not accept connections.
        public static let refusals = Kind(rawValue: "refusals")
        /// The server was silent.
        public static let answers = Kind(rawValue: "answers")
        /// The server does not support byte ranges, so only one connection can be used.
        public static let noRanges = Kind(rawValue: "no-ranges")
        /// The disk was slower than the network.
        public static let disk = Kind(rawValue: "disk")
        /// The CPU: a thread that receives or hashes data was always busy.
        public static let processor = Kind(rawValue: "processor")
    }

    /// The kind.
    public var kind: Kind
    /// The share of the time for which this limit applied, from 0.5 to 1.
    public var share: Double
    /// The average number of active connections, or the number that the cap allows; `nil` where not
    /// applicable.
    public var connections: Int?
    /// Bytes per second of each connection, or the maximum of the link or cap; `nil` where not applicable.
    public var bytesPerSecond: Double?
    /// `roundTrip` in seconds, as encoded.
    package var roundTripSeconds: Double?

    /// The round-trip time to the server; `nil` where not applicable.
    public var roundTrip: Duration? {
        get { roundTripSeconds.map { .bounded(seconds: $0) } }
        set { roundTripSeconds = newValue?.seconds }
    }

    private enum CodingKeys: String, CodingKey {
        case kind, share, connections, bytesPerSecond
        case roundTripSeconds = "roundTrip"
    }

    /// Creates a bottleneck from its parts, for the tests and previews of programs that display it.
    ///
    /// - Parameters:
    ///   - kind: The kind.
    ///   - share: The share of the time.
    ///   - connections: The number of connections, for kinds that have one.
    ///   - bytesPerSecond: The speed in bytes per second, for kinds that have one.
    ///   - roundTrip: The round-trip time, for kinds that have one.
    public init(
        _ kind: Kind, share: Double, connections: Int? = nil, bytesPerSecond: Double? = nil,
        roundTrip: Duration? = nil
    ) {
        self.kind = kind
        self.share = share
        self.connections = connections
        self.bytesPerSecond = bytesPerSecond
        roundTripSeconds = roundTrip?.seconds
    }
}
