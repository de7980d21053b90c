internal import CSegCurl

/// The connection of one transfer, as reported by libcurl. Confined to the engine's thread, like its
/// transfer.
struct TransferConnection {
    private let lane: LaneConnections
    private let easy: UnsafeMutableRawPointer
    private let host: String
    private let offersHTTP2: Bool
    private let isEncrypted: Bool
    /// The connection over which the request was last sent.
    private var current: LaneConnections.Connection?
    /// The number of connections that libcurl had opened for the transfer when the request was last sent.
    private var opened = 0
    /// True if the connection uses neither TLS nor, consequently, HTTP/2.
    private var isPlain = false
    /// The reason why the request was not sent: its response might be mixed up with another one.
    private(set) var withheld: String?
    /// True if other requests may use the connection simultaneously.
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

    /// The shortest round-trip time of the connection, in seconds; `nil` if unknown.
    var roundTrip: Double? { current?.roundTrip }

    /// The shortest round-trip time of the connection, in seconds, or, before the request is sent, of those
    /// that the thread is opening; `nil` if unknown.
    var earliestRoundTrip: Double? { roundTrip ?? lane.roundTripOfUnused }

    /// Decides whether libcurl may send the request over the connection that it has chosen
    /// (CURLOPT_PREREQFUNCTION).
    ///
    /// If a multi handle of libcurl 7.88 has HTTP/2 and HTTP/1.1 connections to a host, it sends several
    /// requests at once over an HTTP/1.1 connection, and assigns responses to the wrong requests (curl issue
    /// 4885). An HTTP/1.1 connection is therefore used only for the request for which it was opened.
    ///
    /// A server may send more bytes than its response contains. libcurl leaves them unread, and would mistake
    /// them for the beginning of the next response.
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

    /// Makes libcurl close the connection after the transfer if it is not shared but belongs to the thread
    /// for shared ones, because no later request could use it.
    func closeUnlessShared(_ head: ResponseHead) {
        if offersHTTP2, !head.isHTTP2 { seg_set_long(easy, CURLOPT_FORBID_REUSE, 1) }
    }

    /// Limits the server's window to the part of the body that will be used.
    ///
    /// - Parameters:
    ///   - rest: The remaining length of that part in bytes; `nil` for the whole body.
    ///   - count: The number of bytes that libcurl has delivered at once.
    func limitWindow(to rest: Int64?, after count: Int) {
        guard !isShared else { return }
        // libcurl reads more than it delivers at once, but with TLS only one record at a time.
        let holdsMore = !isEncrypted && count == Int(CURL_MAX_WRITE_SIZE)
        current?.limitWindow(
            to: rest.map { isEncrypted ? TLSConnection.bytes(for: $0) : $0 },
            held: holdsMore ? Int64(Transport.largestReadBuffer) : 0)
    }

    /// Holds the end of a limited window while no data arrives.
    func holdWindow() { current?.holdWindow() }

    /// The same as `LaneConnections.Connection.limitBuffer`. Other requests may use a shared connection.
    func limitBuffer(toReceive share: Double?) {
        if !isShared { current?.limitBuffer(toReceive: share) }
    }

    /// Returns the segments that have arrived on the connection since the last call; `nil` if unknown, or if
    /// they may belong to other requests.
    func newArrivals() -> TransferCounters.Arrivals? { isShared ? nil : current?.newArrivals() }

    /// Detaches the transfer from the connection, which libcurl no longer uses for it.
    ///
    /// - Returns: True if the connection is still open, or if the request was not sent and the host has an
    ///   idle connection.
    mutating func leave() -> Bool {
        guard let current else { return lane.hasIdle(to: host) }
        self.current = nil
        let isOpen = lane.leave(current)
        if isPlain { lane.closeIfUnread(current) }
        return isOpen
    }
}
