internal import CSegCurl

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The open connections of one engine thread, and the number of requests on each. Not `Sendable`: it is
/// confined to that thread.
///
/// libcurl 7.88 has no function that closes an idle connection, so its socket is shut down instead. libcurl
/// checks whether a connection is alive before it reuses it.
final class LaneConnections {
    /// A connection that libcurl has opened.
    final class Connection {
        fileprivate let socket: curl_socket_t
        /// The host of the connection's requests, the same as `TransferRequest.host`; `nil` before the first
        /// request.
        fileprivate var host: String?
        fileprivate var requests = 0
        /// The local port, which distinguishes the connections to a host.
        fileprivate lazy var port = Self.port(of: socket)

        fileprivate init(_ socket: curl_socket_t) {
            self.socket = socket
        }

        /// The shortest round-trip time of the connection, in seconds; `nil` if unknown.
        var roundTrip: Double? { TCPSocket(descriptor: socket).information.leastRoundTrip }

        private var counted: (segments: UInt32, early: UInt32) = (0, 0)

        /// Returns the data segments that have arrived since the last call; `nil` if unknown.
        func newArrivals() -> TransferCounters.Arrivals? {
            let information = TCPSocket(descriptor: socket).information
            guard let all = information.arrivals else { return nil }
            defer { counted = all }
            let segments = Int(all.segments &- counted.segments)
            return TransferCounters.Arrivals(
                segments: segments, early: Int(all.early &- counted.early),
                queued: information.isQueued ? segments : 0,
                roundTrip: segments > 0 ? information.roundTrip : nil)
        }

        /// More bytes than any TCP window (RFC 7323, section 2.3).
        private static let widestWindow: Int64 = 1 << 30
        /// In bytes. If more of the body remains, it far exceeds the bytes in flight.
        private static let longestLimitedRest: Int64 = 32 * 1024 * 1024
        /// The remaining bytes of the body that will be used, if the window is limited to them.
        private var limit: Int64?
        /// True if the end of the window has been held since the last bytes arrived.
        private var isHeld = false

        /// Limits the server's window to the part of the body that will be used. The connection is closed
        /// after that part, and everything else that the server has sent by then is discarded.
        ///
        /// - Parameters:
        ///   - rest: The remaining length of that part in bytes; `nil` if the whole body will be used.
        ///   - held: The number of these bytes that libcurl may already hold.
        func limitWindow(to rest: Int64?, held: Int64) {
            let wanted = rest.flatMap { $0 < Self.longestLimitedRest ? $0 : nil }
            guard wanted != nil || limit != nil else { return }
            (limit, isHeld) = (wanted, false)
            TCPSocket(descriptor: socket).limitWindow(to: wanted.map { $0 - held } ?? Self.widestWindow)
        }

        /// Holds the end of a limited window while no data arrives.
        ///
        /// When a lost segment has been retransmitted, all bytes after it are received at once, and the
        /// system would let the server send the same number again, because it counts a window from the last
        /// byte received.
        func holdWindow() {
            guard let limit, !isHeld else { return }
            isHeld = true
            TCPSocket(descriptor: socket).holdWindow(before: limit)
        }

        /// True if the system may not enlarge the buffer for unread bytes.
        private var isBufferLimited = false
        /// In bytes: the window of a buffer of Linux's default size.
        private static let smallestWindow = 64.0 * 1024

        /// Limits the buffer for unread bytes while a rate limit delays them, because they are lost if this
        /// program is killed.
        ///
        /// - Parameter share: The maximum speed of the connection in bytes per second; `nil` for no limit.
        func limitBuffer(toReceive share: Double?) {
            guard share != nil || isBufferLimited else { return }
            let socket = TCPSocket(descriptor: socket)
            // A larger window is needed if the bytes in flight may fill half of this one.
            let inFlight = share.flatMap { share in socket.information.leastRoundTrip.map { $0 * share } }
            let isLimited = inFlight.map { 2 * $0 <= Self.smallestWindow } ?? false
            guard isLimited != isBufferLimited else { return }
            isBufferLimited = isLimited
            socket.setBufferGrowth(!isLimited)
        }

        private static func port(of socket: curl_socket_t) -> Int? {
            var address = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            return withUnsafeMutableBytes(of: &address) { bytes -> Int? in
                guard let start = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                    getsockname(socket, start, &length) == 0
                else { return nil }
                // IPv4 and IPv6 socket addresses have the port at the same offset.
                return Int(UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self)))
            }
        }
    }

    private var open: [curl_socket_t: Connection] = [:]

    /// Makes libcurl report the sockets that it opens and closes with a handle (CURLOPT_SOCKOPTFUNCTION,
    /// CURLOPT_CLOSESOCKETFUNCTION). This object must outlive all of these sockets.
    func observe(_ easy: UnsafeMutableRawPointer) {
        // Unmanaged: libcurl invokes callbacks only during calls of the thread's loop, which holds this
        // object.
        let context = Unmanaged.passUnretained(self).toOpaque()
        seg_set_pointer(easy, CURLOPT_SOCKOPTDATA, context)
        seg_set_sockopt_callback(easy) { context, socket, _ in
            // Child processes must not inherit the socket, which would keep the connection open.
            _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
            TCPSocket(descriptor: socket).limitWindowScale()
            guard let context else { return CURL_SOCKOPT_OK }
            Unmanaged<LaneConnections>.fromOpaque(context).takeUnretainedValue().opened(socket)
            return CURL_SOCKOPT_OK
        }
        seg_set_pointer(easy, CURLOPT_CLOSESOCKETDATA, context)
        seg_set_close_callback(easy) { context, socket in
            if let context {
                Unmanaged<LaneConnections>.fromOpaque(context).takeUnretainedValue().closed(socket)
            }
            return close(socket)
        }
    }

    /// The shortest round-trip time in seconds of the connections without a request so far; `nil` if unknown.
    var roundTripOfUnused: Double? {
        open.values.lazy.filter { $0.host == nil }.compactMap(\.roundTrip).min()
    }

    /// Records that libcurl has opened a socket.
    func opened(_ socket: curl_socket_t) { open[socket] = Connection(socket) }

    /// Records that libcurl is closing a socket.
    func closed(_ socket: curl_socket_t) { open[socket] = nil }

    /// Records that a request to a host is sent over the connection with a local port.
    ///
    /// - Parameter previous: The connection over which the request was sent before.
    func use(port: Int, host: String, insteadOf previous: Connection?) -> Connection? {
        if let previous { leave(previous) }
        // Connections to different addresses may have the same local port, and a proxy's connection serves
        // several hosts.
        let candidates = open.values.filter { $0.port == port }
        let connection =
            candidates.first { $0.host == host } ?? candidates.first { $0.host == nil } ?? candidates.first
        connection?.host = host
        connection?.requests += 1
        return connection
    }

    /// Records the end of a request over a connection.
    ///
    /// - Returns: True if the connection is still open.
    @discardableResult
    func leave(_ connection: Connection) -> Bool {
        connection.requests -= 1
        return open[connection.socket] === connection
    }

    /// Returns true if the connection has unread bytes.
    func hasUnread(_ connection: Connection) -> Bool {
        var byte: UInt8 = 0
        return recv(connection.socket, &byte, 1, Self.peek) > 0
    }

    /// Closes an idle connection if the server has sent more bytes over it than its responses contain.
    func closeIfUnread(_ connection: Connection) {
        guard connection.requests == 0, open[connection.socket] === connection, hasUnread(connection) else {
            return
        }
        // libcurl considers a connection alive if it has unread bytes.
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        while recv(connection.socket, &bytes, bytes.count, Self.look) > 0 {}
        shutdown(connection.socket, Int32(SHUT_RDWR))
    }

    private static let look = Int32(MSG_DONTWAIT)
    private static let peek = look | Int32(MSG_PEEK)

    func hasIdle(to host: String) -> Bool { idle(to: host) != nil }

    /// - Parameter host: The host of the connection; `nil` for any.
    private func idle(to host: String?) -> Connection? {
        open.values.first { connection in
            connection.requests == 0 && connection.host != nil && (host == nil || connection.host == host)
        }
    }

    /// The number of open connections to a host.
    func count(to host: String) -> Int { open.values.count { $0.host == host } }

    /// Closes idle connections to a host until no more than `count` are open, if possible.
    func closeIdle(to host: String, leaving count: Int) {
        var excess = self.count(to: host) - count
        while excess > 0, closeIdle(to: host) { excess -= 1 }
    }

    /// Closes an idle connection, if one exists.
    ///
    /// - Parameter host: The connection's host; `nil` for any.
    func closeIdle(to host: String? = nil) -> Bool {
        guard let idle = idle(to: host) else { return false }
        open[idle.socket] = nil
        shutdown(idle.socket, Int32(SHUT_RDWR))
        return true
    }
}
