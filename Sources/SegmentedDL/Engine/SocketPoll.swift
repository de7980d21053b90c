internal import CSegSystem

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The sockets that a thread waits for. Uses `epoll(7)` on Linux, whose cost depends on the number of ready
/// sockets and not on that of watched ones, and `poll(2)` elsewhere.
///
/// Only `wake()` may be called from threads other than the owning one. `@unchecked Sendable`: the descriptor
/// that `wake()` uses never changes.
final class SocketPoll: @unchecked Sendable {
    /// The operations for which a socket is watched or ready.
    struct Readiness: OptionSet, Sendable {
        let rawValue: Int
        static let reading = Readiness(rawValue: 1)
        static let writing = Readiness(rawValue: 2)
        static let failed = Readiness(rawValue: 4)
    }

    struct Event: Sendable {
        let socket: Int32
        let ready: Readiness
    }

    private var watched: [Int32: Readiness] = [:]
    private let wakeReader: Int32
    private let wakeWriter: Int32
    #if os(Linux)
        private let epoll: Int32
        private var buffer = [epoll_event](repeating: epoll_event(), count: 256)
    #endif

    /// - Returns: `nil` if the process has no descriptors left.
    init?() {
        #if os(Linux)
            epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
            wakeReader = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
            wakeWriter = wakeReader
            guard epoll >= 0, wakeReader >= 0 else { return nil }
        #else
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { return nil }
            for end in ends {
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            }
            (wakeReader, wakeWriter) = (ends[0], ends[1])
        #endif
        watch(wakeReader, for: .reading)
    }

    deinit {
        close(wakeReader)
        #if os(Linux)
            close(epoll)
        #else
            close(wakeWriter)
        #endif
    }

    /// Makes the current or the next `wait` return. Any thread may call it.
    func wake() {
        var one: UInt64 = 1
        // An eventfd accepts eight bytes. A full pipe refuses the write, but wakes the thread anyway.
        _ = write(wakeWriter, &one, MemoryLayout.size(ofValue: one))
    }

    /// Watches a socket for these operations instead of the previous ones. If the set is empty, the socket is
    /// no longer watched.
    func watch(_ socket: Int32, for readiness: Readiness) {
        let before = watched[socket]
        watched[socket] = readiness.isEmpty ? nil : readiness
        #if os(Linux)
            var event = epoll_event()
            event.data.fd = socket
            if readiness.contains(.reading) { event.events |= EPOLLIN.rawValue }
            if readiness.contains(.writing) { event.events |= EPOLLOUT.rawValue }
            if readiness.isEmpty {
                if before != nil { epoll_ctl(epoll, EPOLL_CTL_DEL, socket, &event) }
            } else if before == nil || epoll_ctl(epoll, EPOLL_CTL_MOD, socket, &event) != 0 {
                epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event)
            }
        #endif
    }

    /// Waits until a socket is ready, `wake()` is called, or the timeout expires.
    ///
    /// - Parameter seconds: The timeout; `nil` for none.
    /// - Returns: `nil` if the system cannot wait, which is permanent.
    func wait(atMost seconds: Double?) -> [Event]? {
        // Round up, because a caller that waits until a given time must not wake up before it.
        let milliseconds = seconds.map { Int32(min(max($0, 0) * 1000, 60_000).rounded(.up)) } ?? -1
        #if os(Linux)
            let count = epoll_wait(epoll, &buffer, Int32(buffer.count), milliseconds)
            guard count >= 0 || errno == EINTR else { return nil }
            let ready = buffer.prefix(Int(max(count, 0))).map { event in
                Event(socket: event.data.fd, ready: Readiness(event))
            }
        #else
            var sockets = watched.map { pollfd(fd: $0.key, events: Int16($0.value), revents: 0) }
            let count = poll(&sockets, nfds_t(sockets.count), milliseconds)
            guard count >= 0 || errno == EINTR || errno == EAGAIN else { return nil }
            let ready = sockets.filter { $0.revents != 0 }.map { Event(socket: $0.fd, ready: Readiness($0)) }
        #endif
        return ready.filter { event in
            guard event.socket == wakeReader else { return true }
            drain()
            return false
        }
    }

    private func drain() {
        var bytes: UInt64 = 0
        while read(wakeReader, &bytes, MemoryLayout.size(ofValue: bytes)) > 0, wakeReader != wakeWriter {}
    }
}

extension SocketPoll.Readiness {
    #if os(Linux)
        fileprivate init(_ event: epoll_event) {
            self = []
            if event.events & EPOLLIN.rawValue != 0 { insert(.reading) }
            if event.events & EPOLLOUT.rawValue != 0 { insert(.writing) }
            if event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { insert(.failed) }
        }
    #else
        fileprivate init(_ socket: pollfd) {
            self = []
            if Int32(socket.revents) & POLLIN != 0 { insert(.reading) }
            if Int32(socket.revents) & POLLOUT != 0 { insert(.writing) }
            if Int32(socket.revents) & (POLLERR | POLLHUP | POLLNVAL) != 0 { insert(.failed) }
        }
    #endif
}

#if !os(Linux)
    extension Int16 {
        fileprivate init(_ readiness: SocketPoll.Readiness) {
            self = 0
            if readiness.contains(.reading) { self |= Int16(POLLIN) }
            if readiness.contains(.writing) { self |= Int16(POLLOUT) }
        }
    }
#endif
