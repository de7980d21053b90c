internal import CSegCurl
import SegmentedDLSupport

/// A connection that is opened by libcurl, but over which this program itself speaks HTTP
/// (CURLOPT_CONNECT_ONLY). Not `Sendable`: it is confined to the engine's thread.
final class RawConnection {
    let easy: UnsafeMutableRawPointer
    /// The connected socket; `nil` until the connection is established.
    private(set) var socket: curl_socket_t?
    private var unsent: ArraySlice<UInt8> = []
    /// True if all bytes are sent.
    var isSent: Bool { unsent.isEmpty }
    private(set) var connectedAt = 0.0
    /// The time at which the last byte was received from the server.
    private(set) var heardAt = Monotonic.now()
    /// The operations for which the socket is watched.
    private var watched: SocketPoll.Readiness = []

    /// - Parameters:
    ///   - easy: A handle that is set up as for any request. It is freed with the connection.
    ///   - url: A URL of the host.
    init(_ easy: UnsafeMutableRawPointer, to url: String) {
        self.easy = easy
        seg_set_string(easy, CURLOPT_URL, url)
        seg_set_long(easy, CURLOPT_CONNECT_ONLY, 1)
        // The requests are written for the host itself, whereas a proxy without a tunnel expects absolute
        // URLs.
        seg_set_long(easy, CURLOPT_HTTPPROXYTUNNEL, 1)
    }

    /// Takes over the socket that libcurl has connected.
    ///
    /// - Returns: False if libcurl has not connected.
    func connected(_ result: CURLcode) -> Bool {
        var socket = seg_no_socket()
        guard result == CURLE_OK, seg_get_socket(easy, CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK,
            socket != seg_no_socket()
        else { return false }
        self.socket = socket
        connectedAt = Monotonic.now()
        heardAt = connectedAt
        return true
    }

    /// Reads the available bytes.
    ///
    /// - Parameter take: Returns false to leave the rest unread.
    /// - Returns: False if the connection has ended.
    func receive(
        _ buffer: UnsafeMutableRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
        while true {
            var count = 0
            let result = curl_easy_recv(easy, buffer.baseAddress, buffer.count, &count)
            if result == CURLE_AGAIN { return true }
            guard result == CURLE_OK, count > 0 else { return false }
            heardAt = Monotonic.now()
            if !take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { return true }
        }
    }

    /// Sends as many bytes as the socket accepts.
    ///
    /// - Parameter next: Returns further bytes once all earlier ones are sent.
    /// - Returns: False if the connection has ended.
    func send(_ next: () -> [UInt8]) -> Bool {
        if unsent.isEmpty { unsent = next()[...] }
        while !unsent.isEmpty {
            var count = 0
            let result = unsent.withUnsafeBytes { curl_easy_send(easy, $0.baseAddress, $0.count, &count) }
            if result == CURLE_AGAIN { return true }
            guard result == CURLE_OK else { return false }
            unsent = unsent.dropFirst(count)
        }
        return true
    }

    /// Restarts the measurement of the server's silence.
    func expectsAnswer() { heardAt = Monotonic.now() }

    /// Watches the socket for the required operations.
    func watch(_ sockets: SocketPoll) {
        let interest: SocketPoll.Readiness = unsent.isEmpty ? .reading : [.reading, .writing]
        guard let socket, watched != interest else { return }
        watched = interest
        sockets.watch(socket, for: interest)
    }

    func close(_ lane: RawLane) {
        if let socket { lane.sockets.watch(socket, for: []) }
        curl_multi_remove_handle(lane.multi, easy)
        curl_easy_cleanup(easy)
    }
}

/// The parts of an engine thread that all its raw connections use. Not `Sendable`: it is confined to that
/// thread.
final class RawLane {
    /// The size of one read, which holds the heads of about three hundred responses.
    private static let bufferBytes = 64 * 1024

    let multi: UnsafeMutableRawPointer
    let sockets: SocketPoll
    let table: LaneTable
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferBytes, alignment: 16)

    init(_ multi: UnsafeMutableRawPointer, _ sockets: SocketPoll, _ table: LaneTable) {
        self.multi = multi
        self.sockets = sockets
        self.table = table
    }

    deinit {
        buffer.deallocate()
    }
}
