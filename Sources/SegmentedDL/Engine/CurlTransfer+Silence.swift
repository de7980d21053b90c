internal import CSegCurl

extension CurlTransfer {
    /// The part of the response that is awaited; `nil` if the server waits for this program.
    var awaited: SilenceWatch.Awaited? {
        switch phase {
        case .awaitingHead: peer == nil ? .connection : .answer
        case .receiving: isPaused ? nil : .bytes
        case .prefetching, .headDelivered, .satisfied, .endedUnclaimed, .ended: nil
        }
    }

    /// Reports a silence that has lasted long enough.
    ///
    /// - Parameter hasHeard: True if anything has been received since the last call.
    func listen(hasHeard: Bool, now: Double) {
        guard let silence else { return }
        guard !hasHeard, let awaited else { return silence.watch.heard(now: now) }
        guard silence.watch.lasts(now: now), silence.watch.isFirst(awaited) else { return }
        silence.tell(
            SilenceWatch.Silence(awaited: awaited, seconds: silence.watch.seconds, proxy: proxy(silence.port))
        )
    }

    /// Records that bytes of the body were received.
    func noteProgress(_ count: Int) {
        guard untilProgress > 0 else { return }
        untilProgress -= count
        if untilProgress <= 0 { silence?.watch.progressed() }
    }

    /// The address and port to which libcurl is connected; `nil` if it is not connected.
    private var peer: (address: String, port: Int)? {
        var (port, address) = (0, UnsafeMutableRawPointer?.none)
        seg_get_long(easy, CURLINFO_PRIMARY_PORT, &port)
        seg_get_pointer(easy, CURLINFO_PRIMARY_IP, &address)
        guard port > 0, let address else { return nil }
        return (String(cString: address.assumingMemoryBound(to: CChar.self)), port)
    }

    /// Returns the address of the proxy to which the connection leads. A proxy is recognized only by a port
    /// other than the server's.
    private func proxy(_ port: Int) -> String? {
        guard let peer, peer.port != port else { return nil }
        return peer.address.contains(":") ? "[\(peer.address)]:\(peer.port)" : "\(peer.address):\(peer.port)"
    }
}
