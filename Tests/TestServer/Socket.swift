#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A connected socket. All calls block; only the connection's thread uses it.
final class Socket {
    let descriptor: Int32
    private var isOpen = true
    private var hasSmallBuffer = false

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        setOption(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    }

    deinit {
        close()
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        #if canImport(Glibc)
            Glibc.close(descriptor)
        #else
            Darwin.close(descriptor)
        #endif
    }

    /// Closes with RST. Waits until earlier bytes are sent, because a reset would discard queued ones and
    /// make the position of the fault random.
    func reset() {
        guard isOpen else { return }
        drain()
        var value = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    /// With a small buffer the kernel accepts hardly more than the peer has received. A large one must be set
    /// explicitly afterwards: the kernel does not return to automatic sizing.
    func setSendBuffer(_ size: Int?) {
        if let size {
            setOption(SOL_SOCKET, SO_SNDBUF, Int32(clamping: size))
            hasSmallBuffer = true
        } else if hasSmallBuffer {
            setOption(SOL_SOCKET, SO_SNDBUF, 1 << 20)
            hasSmallBuffer = false
        }
    }

    /// The number of bytes read; 0 if the peer has closed or the connection is broken.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count >= 0 { return count }
            if errno != EINTR { return 0 }
        }
    }

    /// Sends all of `bytes`; calls `accepted` after each system call with the number of bytes that the kernel
    /// accepted.
    func send(_ bytes: UnsafeRawBufferPointer, accepted: (Int) -> Void = { _ in }) -> Bool {
        guard let base = bytes.baseAddress else { return true }
        var done = 0
        while done < bytes.count {
            #if canImport(Glibc)
                let count = Glibc.send(descriptor, base + done, bytes.count - done, 0)
            #else
                let count = Darwin.send(descriptor, base + done, bytes.count - done, 0)
            #endif
            if count < 0 {
                if errno == EINTR { continue }
                return false
            }
            done += count
            accepted(count)
        }
        return true
    }

    /// True if the peer has closed its side, which a thread that is busy sending notices late.
    static func isHungUp(_ descriptor: Int32) -> Bool {
        #if os(Linux)
            // While a thread sends, the system only queues a segment that ends the connection, and `poll` does
            // not see it. This call waits for the thread, and for the segment to be processed.
            var state: UInt8 = 0
            var length = socklen_t(1)
            getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &state, &length)
        #endif
        var entry = pollfd(fd: descriptor, events: hangUpEvent, revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    /// Waits, but only while the peer is connected: an abandoned request must not count as running for a
    /// whole pause.
    func pause(seconds: Double) -> Bool {
        let end = monotonicSeconds() + seconds
        while true {
            let remaining = end - monotonicSeconds()
            if remaining <= 0 { return true }
            var entry = pollfd(fd: descriptor, events: Self.hangUpEvent, revents: 0)
            let milliseconds = Int32(min(max((remaining * 1000).rounded(.up), 1), 1_000_000))
            if poll(&entry, 1, milliseconds) > 0 { return false }
        }
    }

    /// Never answers, and returns only when the peer has disconnected.
    func waitForPeerToClose() {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 16) { buffer in
            while receive(into: buffer) > 0 {}
        }
    }

    private func drain() {
        #if canImport(Glibc)
            for _ in 0..<1000 {
                var queued: Int32 = 0
                guard ioctl(descriptor, UInt(TIOCOUTQ), &queued) == 0, queued > 0 else { return }
                guard pause(seconds: 0.001) else { return }
            }
        #endif
    }

    private func setOption(_ level: Int32, _ name: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    #if canImport(Glibc)
        /// POLLRDHUP, which the module map omits without _GNU_SOURCE.
        private static let hangUpEvent: Int16 = 0x2000
    #else
        private static let hangUpEvent: Int16 = 0
    #endif
}
