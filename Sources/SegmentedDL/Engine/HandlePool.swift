internal import CSegCurl

/// The easy handles of one engine thread, and the options that they all share. Not `Sendable`.
///
/// Handles are kept for later requests with these options set, because setting them again is a sixth of the
/// cost of a short response.
final class HandlePool {
    private static let maximumIdleHandles = 64

    private let transport: Transport
    private let connections: LaneConnections
    private let share: UnsafeMutableRawPointer?
    private let resolve: UnsafeMutablePointer<curl_slist>?
    private var idle: [UnsafeMutableRawPointer] = []

    /// - Parameter connections: Notified of each connection that is opened or closed.
    init(_ transport: Transport, _ connections: LaneConnections) {
        self.transport = transport
        self.connections = connections
        share = curl_share_init()
        if let share {
            seg_share_set_data(share, CURL_LOCK_DATA_SSL_SESSION)
            // A shared jar enables cookies on every handle, so share one only if cookies were requested.
            if transport.cookieFile != nil { seg_share_set_data(share, CURL_LOCK_DATA_COOKIE) }
        }
        var list: UnsafeMutablePointer<curl_slist>?
        for entry in transport.resolve { list = curl_slist_append(list, entry) }
        resolve = list
    }

    deinit {
        if let share { curl_share_cleanup(share) }
        curl_slist_free_all(resolve)
    }

    /// - Returns: An idle handle, or a new one; `nil` if out of memory.
    func take() -> UnsafeMutableRawPointer? { idle.popLast() ?? make() }

    /// - Returns: A handle that the caller cleans up; `nil` if out of memory.
    func make() -> UnsafeMutableRawPointer? {
        guard let easy = curl_easy_init() else { return nil }
        prepare(easy)
        return easy
    }

    private func prepare(_ easy: UnsafeMutableRawPointer) {
        transport.apply(to: easy, share: share)
        connections.observe(easy)
        if let resolve { seg_set_list(easy, CURLOPT_RESOLVE, resolve) }
    }

    /// Returns the handle of an ended transfer to the pool.
    func giveBack(_ transfer: CurlTransfer) {
        // A handle that holds bytes back might deliver them to its next transfer.
        guard !transfer.isPaused, idle.count < Self.maximumIdleHandles else {
            curl_easy_cleanup(transfer.easy)
            return
        }
        transfer.detachHandle()
        if transfer.needsReset {
            // Several options imply how a request is authenticated, or that it is a POST.
            curl_easy_reset(transfer.easy)
            prepare(transfer.easy)
        }
        idle.append(transfer.easy)
    }

    func cleanUp() {
        for easy in idle { curl_easy_cleanup(easy) }
        idle = []
    }
}
