internal import CSegCurl

/// The connection of one transfer, as shown by libcurl. Lives on the engine's thread, like its transfer.
struct TransferConnection {
    private let lane: LaneConnections
    private let easy: UnsafeMutableRawPointer
    private let host: String
    private let offersHTTP2: Bool
    private let isEncrypted: Bool
    /// The connection that the request was last sent over.
    private var current: LaneConnections.Connection?
    /// The number of connections that libcurl had opened for it when the request was last sent.
    private var opened = 0
    /// True if it has neither TLS nor, consequently, HTTP/2.
    private var isPlain = false
    /// The reason why the request was not sent: its answer could be mixed up with another one.
    private(set) var withheld: String?
    /// True if other requests may use it simultaneously.
    var isShared = false

    init(
        for request: TransferRequest, easy: UnsafeMutableRawPointer, host: String, over lane: LaneConnections
    ) {
        self.lane = lane
        self.easy = easy
        self.host = host
        offersHTTP2 = request.offersHTTP2
        isEncrypted = request.url.hasPrefix("https:")
    }

    /// Seconds of its shortest round trip; `nil` if unknown.
    var roundTrip: Double? { current?.roundTrip }

    /// Decides whether libcurl may send the request over the connection that it has chosen
    /// (CURLOPT_PREREQFUNCTION).
    ///
    /// A multi handle of libcurl 7.88 with HTTP/2 and HTTP/1.1 connections to a host sends several requests
    /// at once over one in HTTP/1.1, and gives an answer to the wrong request (curl issue 4885). So an
    /// HTTP/1.1 connection is used only for the request that it was opened for.
    ///
    /// A server may send more bytes than its answer has. libcurl leaves them unread, and would mistake them
    /// for the beginning of the next answer.
    mutating func maySend(from localPort: Int) -> Bool {
        current = lane.use(port: localPort, host: host, insteadOf: current)
        let before = opened
        seg_get_long(easy, CURLINFO_NUM_CONNECTS, &opened)
        isPlain = TLSConnection.of(easy) == nil
        withheld = opened == before ? reasonToWithhold : nil
        return withheld == nil
    }

    private var reasonToWithhold: String? {
        let tls = TLSConnection.of(easy)
        guard !TLSConnection.hasHTTP2(easy) else { return nil }
        if offersHTTP2 { return "the HTTP/1.1 connection is in use by another request" }
        let hasUnread = tls.map(TLSConnection.hasUnread) ?? current.map(lane.hasUnread) ?? false
        return hasUnread ? "the server sent more bytes over it than it announced" : nil
    }

    /// Makes libcurl close a connection after the transfer, as no later request could use it: it is not
    /// shared, on the thread for shared ones.
    func closeUnlessShared(_ head: ResponseHead) {
        if offersHTTP2, !head.isHTTP2 { seg_set_long(easy, CURLOPT_FORBID_REUSE, 1) }
    }

    /// Limits the server's window to the useful rest of the body.
    ///
    /// - Parameters:
    ///   - rest: Bytes; `nil` for all.
    ///   - count: The bytes that libcurl has delivered at once.
    func limitWindow(to rest: Int64?, after count: Int) {
        guard !isShared else { return }
        // libcurl reads more than it delivers at once, but with TLS one record at a time.
        let holdsMore = !isEncrypted && count == Int(CURL_MAX_WRITE_SIZE)
        current?.limitWindow(
            to: rest.map { isEncrypted ? TLSConnection.bytes(for: $0) : $0 },
            held: holdsMore ? Int64(Transport.largestReadBuffer) : 0)
    }

    /// Holds the end of a limited window while nothing arrives.
    func holdWindow() { current?.holdWindow() }

    /// Returns the segments that have arrived over it since the last call; `nil` if unknown, or if they may
    /// belong to other requests.
    func newArrivals() -> TransferCounters.Arrivals? { isShared ? nil : current?.newArrivals() }

    /// Leaves the connection, which libcurl no longer uses for the transfer.
    ///
    /// - Returns: True if it is still open, or if the request was not sent and the host has an idle one.
    mutating func leave() -> Bool {
        guard let current else { return lane.hasIdle(to: host) }
        self.current = nil
        let isOpen = lane.leave(current)
        if isPlain { lane.closeIfUnread(current) }
        return isOpen
    }
}
