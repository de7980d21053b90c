internal import CSegCurl

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The socket of a TCP connection, and what Linux knows of its line; other systems are not asked.
struct TCPSocket {
    let descriptor: curl_socket_t

    /// Seconds of the shortest round trip so far (`tcpi_min_rtt` of TCP_INFO); `nil` if it is not known.
    var leastRoundTrip: Double? {
        #if os(Linux)
            // The C library's structure ends before this field, whose place the kernel keeps.
            var info = [UInt32](repeating: 0, count: 38)
            var length = socklen_t(info.count * MemoryLayout<UInt32>.size)
            let wanted = length
            guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &length) == 0, length == wanted,
                let microseconds = info.last, microseconds > 0, microseconds < .max
            else { return nil }
            return Double(microseconds) / 1_000_000
        #else
            return nil
        #endif
    }

    /// Limits how many bytes the peer may send that have not arrived yet (TCP_WINDOW_CLAMP).
    ///
    /// There is room for a segment more: a peer that may only send a part of one waits for its timer.
    func limitWindow(to bytes: Int32) {
        #if os(Linux)
            var segment: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_MAXSEG, &segment, &length) == 0 else {
                return
            }
            var limit = bytes.addingReportingOverflow(segment).partialValue
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_WINDOW_CLAMP, &limit, length)
        #endif
    }
}
