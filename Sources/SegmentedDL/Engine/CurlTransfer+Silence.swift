internal import CSegCurl

/// The silence of one transfer's server, compared with the timeouts of the transfer.
struct TransferSilence {
    let listener: TransferRequest.SilenceListener?
    /// True if bytes have been received since the last tick.
    var hasHeard = false
    private let patience: SilenceWatch.Patience
    /// The number of times that the timeouts of `patience` are doubled.
    private let doublings: Int
    /// The number of bytes still to be received before they count as progress.
    private var untilProgress = SilenceWatch.progressBytes
    private var clock: SilenceWatch.Clock

    init(_ listener: TransferRequest.SilenceListener?, _ transport: Transport) {
        self.listener = listener
        doublings = listener?.watch.doublings ?? 0
        patience = transport.patience.doubled(doublings)
        clock = SilenceWatch.Clock(patience)
    }

    /// Records that bytes of the body were received.
    mutating func noteProgress(_ count: Int) {
        guard untilProgress > 0 else { return }
        untilProgress -= count
        if untilProgress <= 0 { listener?.watch.progressed() }
    }

    /// Returns the error of a transfer whose server exceeds its timeout; `nil` for none.
    mutating func timeout(awaited: SilenceWatch.Awaited?, now: Double) -> EngineError? {
        guard clock.isOver(awaited: awaited, hasHeard: hasHeard, now: now), let awaited,
            let seconds = patience.seconds(for: awaited)
        else { return nil }
        let what = awaited == .answer ? "no answer" : "no byte"
        let message = "\(what) for \(TransferEvent.seconds(seconds))\(Self.doubling(seconds, doublings))"
        var error = EngineError(kind: .timeout, message: message)
        error.remedy = patience.setting(for: awaited)
        error.retriesUsed = 1 << doublings
        listener?.watch.gaveUp(after: doublings)
        return error
    }

    /// Returns the clause about a timeout that is longer than its setting; empty for any other.
    static func doubling(_ seconds: Double, _ doublings: Int) -> String {
        guard doublings > 0 else { return "" }
        let set = seconds / Double(1 << doublings)
        return ", the timeout of \(TransferEvent.seconds(set)) doubled\(doublings > 1 ? " twice" : "")"
    }
}

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
    func listen(now: Double) {
        guard let listener = silence.listener else { return }
        let watch = listener.watch
        guard !silence.hasHeard, let awaited else { return watch.heard(now: now) }
        guard watch.lasts(now: now), watch.isFirst(awaited) else { return }
        listener.tell(
            SilenceWatch.Silence(awaited: awaited, seconds: watch.seconds, proxy: proxy(listener.port)))
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
    func proxy(_ port: Int) -> String? {
        guard let peer, peer.port != port else { return nil }
        return peer.address.contains(":") ? "[\(peer.address)]:\(peer.port)" : "\(peer.address):\(peer.port)"
    }
}

extension Transport {
    /// The timeouts of a silent connection.
    var patience: SilenceWatch.Patience {
        let bytes = lowSpeedLimit > 0 && lowSpeedTime > .zero ? lowSpeedTime.seconds : nil
        let answer = firstByteTimeout.map { $0 > .zero ? $0.seconds : nil } ?? bytes
        return SilenceWatch.Patience(
            connection: connectTimeout.seconds, answer: answer, bytes: bytes,
            hasOwnAnswer: firstByteTimeout != nil)
    }
}
