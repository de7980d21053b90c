internal import CSegCurl

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The socket of a TCP connection.
struct TCPSocket {
    let descriptor: curl_socket_t

    /// The state of the connection as reported by Linux. Not queried on other systems.
    var information: TCPInformation {
        #if os(Linux)
            // The C library's structure lacks the last fields. Their offsets are part of the kernel's ABI.
            var words = [UInt32](repeating: 0, count: TCPInformation.count)
            let size = MemoryLayout<UInt32>.size
            var length = socklen_t(words.count * size)
            guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &words, &length) == 0 else {
                return TCPInformation()
            }
            return TCPInformation(words: words.prefix(Int(length) / size))
        #else
            return TCPInformation()
        #endif
    }

    /// Makes the windows of a connection multiples of at most 128 bytes (RFC 7323, section 2.2), and at most
    /// 8 MiB, as with Linux's default buffers. Must be called before `connect`.
    ///
    /// Linux rounds up the end of a window in each acknowledgement. With larger buffers the unit may be 1024
    /// bytes, and while the window is limited, its end would advance by up to 29 % of the bytes that arrive.
    func limitWindowScale() { setWindowClamp(Self.widestWindow) }

    /// In bytes: the maximum number of units that the TCP header can express.
    private static let widestWindow: Int32 = 65_535 << 7

    private func setWindowClamp(_ bytes: Int32) {
        #if os(Linux)
            var limit = bytes
            setsockopt(
                descriptor, Int32(IPPROTO_TCP), TCP_WINDOW_CLAMP, &limit, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    /// Lets the system enlarge the buffer for unread bytes, or not (SO_BUF_LOCK, Linux 5.14). Its size stays
    /// the same: if it were reduced, the system would drop bytes that the peer may send.
    func setBufferGrowth(_ mayGrow: Bool) {
        #if os(Linux)
            // The headers of older systems lack SO_BUF_LOCK, and those of libraries SOCK_RCVBUF_LOCK.
            var flags: Int32 = mayGrow ? 0 : 2
            setsockopt(descriptor, SOL_SOCKET, 72, &flags, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    /// Limits the unread bytes that the peer may send (TCP_WINDOW_CLAMP).
    func limitWindow(to bytes: Int64) {
        let room = max(0, bytes - unread)
        // The end of a window never moves back. If it is already far enough, arriving bytes must not advance
        // it.
        let isFarEnough = information.window.map { $0 >= room } ?? false
        limitWindowBehindLast(to: isFarEnough ? 0 : room)
    }

    /// Limits the end of the window after the peer has sent all the bytes that it may send now.
    ///
    /// - Parameter bytes: The same as for `limitWindow`.
    func holdWindow(before bytes: Int64) {
        let information = information
        guard let window = information.window ?? information.widestWindow else { return }
        limitWindowBehindLast(to: max(0, bytes - unread - window))
    }

    /// The number of bytes that have arrived but have not been read (FIONREAD).
    private var unread: Int64 {
        #if os(Linux)
            var count: Int32 = 0
            return ioctl(descriptor, numericCast(FIONREAD), &count) == 0 ? Int64(count) : 0
        #else
            return 0
        #endif
    }

    /// Limits the bytes that the peer may send after the last one received.
    ///
    /// One additional segment is allowed, because a peer that may send only a part of a segment waits for a
    /// timer.
    private func limitWindowBehindLast(to bytes: Int64) {
        #if os(Linux)
            var segment: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_MAXSEG, &segment, &length) == 0 else {
                return
            }
            setWindowClamp(Int32(clamping: bytes + Int64(segment)))
        #endif
    }
}

/// A snapshot of TCP_INFO.
struct TCPInformation {
    /// The number of four-byte words up to the last one used.
    fileprivate static let count = 59

    /// The ratio of the round-trip time over a saturated link to the shortest one.
    private static let fullQueue = 1.25

    /// The fields that the system supports.
    fileprivate var words: ArraySlice<UInt32> = []

    private func word(_ place: Int) -> UInt32? { words.indices.contains(place) ? words[place] : nil }

    /// The shortest round-trip time so far, in seconds (`tcpi_min_rtt`); `nil` if unknown.
    var leastRoundTrip: Double? {
        guard let microseconds = word(37), microseconds > 0, microseconds < .max else { return nil }
        return Double(microseconds) / 1_000_000
    }

    /// The recent round-trip time, in seconds (`tcpi_rcv_rtt`); `nil` if unknown.
    var roundTrip: Double? {
        guard let microseconds = word(23), microseconds > 0 else { return nil }
        return Double(microseconds) / 1_000_000
    }

    /// True if segments are queued before a saturated link, so that the round-trip time has increased.
    var isQueued: Bool {
        guard let leastRoundTrip, let roundTrip else { return false }
        return roundTrip > leastRoundTrip * Self.fullQueue
    }

    /// The number of data segments that have arrived (`tcpi_data_segs_in`), and the number of those that
    /// arrived ahead of an earlier one (`tcpi_rcv_ooopack`); `nil` if unknown.
    var arrivals: (segments: UInt32, early: UInt32)? {
        guard let segments = word(38), let early = word(56) else { return nil }
        return (segments, early)
    }

    /// The number of bytes that the peer may send after the last one received (`tcpi_rcv_wnd`, since Linux
    /// 6.2); `nil` if unknown.
    var window: Int64? { word(58).map(Int64.init) }

    /// The maximum number of bytes that the peer may have in flight (`tcpi_rcv_ssthresh`); `nil` if unknown.
    var widestWindow: Int64? { word(16).map(Int64.init) }
}
