import Testing

@testable import SegmentedDL

#if os(Linux)
    import Glibc

    @Suite("The socket of a TCP connection", .timeLimit(.minutes(1)))
    struct TCPSocketTests {
        private let sender: TCPSocket
        private let receiver: TCPSocket

        /// Connects two sockets over loopback, with segments sized as on Ethernet.
        init() throws {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(listener) }
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var segment: Int32 = 1448
            for each in [listener, client] {
                setsockopt(
                    each, Int32(IPPROTO_TCP), TCP_MAXSEG, &segment, socklen_t(MemoryLayout<Int32>.size))
            }
            receiver = TCPSocket(descriptor: client)
            receiver.limitWindowScale()
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isConnected = withUnsafeMutableBytes(of: &address) { bytes -> Bool in
                guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else {
                    return false
                }
                return bind(listener, address, length) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, address, &length) == 0 && connect(client, address, length) == 0
            }
            try #require(isConnected)
            sender = TCPSocket(descriptor: accept(listener, nil, nil))
        }

        private func end() {
            close(sender.descriptor)
            close(receiver.descriptor)
        }

        /// Sends and receives this many bytes.
        private func exchange(_ count: Int) {
            var bytes = [UInt8](repeating: 0, count: count)
            var sent = 0
            var received = 0
            while received < count {
                if sent < count {
                    sent += max(send(sender.descriptor, bytes, count - sent, Int32(MSG_DONTWAIT)), 0)
                }
                received += max(recv(receiver.descriptor, &bytes, count - received, 0), 0)
            }
        }

        /// The bytes that the receiver allows in flight (`tcpi_snd_wnd` of TCP_INFO).
        private var window: UInt32? {
            var info = [UInt32](repeating: 0, count: 58)
            var length = socklen_t(info.count * 4)
            guard getsockopt(sender.descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &length) == 0,
                length == 232
            else { return nil }
            return info[57]
        }

        @Test("limits the unit of its windows, whatever the size of the system's buffers")
        func scale() throws {
            defer { end() }
            var info = [UInt8](repeating: 0, count: 8)
            var length = socklen_t(info.count)
            #expect(getsockopt(sender.descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &length) == 0)
            // `tcpi_snd_wscale`, the four bits that the receiver has sent.
            #expect(info[6] & 15 <= 7)
        }

        @Test("knows the shortest round trip of its connection")
        func roundTrip() throws {
            defer { end() }
            exchange(1000)
            let seconds = try #require(sender.information.leastRoundTrip)
            #expect(seconds > 0 && seconds < 10)
            #expect(TCPSocket(descriptor: 0).information.leastRoundTrip == nil)
        }

        /// Sends as many bytes as the receiver accepts unread, and returns their number.
        private func fill() throws -> Int {
            let bytes = [UInt8](repeating: 0, count: 64 * 1024)
            var (received, before): (Int32, Int32) = (0, -1)
            // What does not fit remains in the sender's buffer. Its probes show that the receiver has no room.
            while received != before {
                before = received
                while send(sender.descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 {}
                var end = pollfd(fd: sender.descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&end, 1, 300)
                try #require(ioctl(receiver.descriptor, numericCast(FIONREAD), &received) == 0)
            }
            return Int(received)
        }

        private func option(_ name: Int32) -> Int32? {
            var value: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            return getsockopt(receiver.descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
        }

        /// True if the system may not enlarge the buffer (SOCK_RCVBUF_LOCK, SO_BUF_LOCK).
        private var isBufferLimited: Bool? { option(72).map { $0 & 2 != 0 } }

        @Test("stops the growth of the buffer, and lets it grow again")
        func buffer() throws {
            defer { end() }
            exchange(1000)
            let size = try #require(option(SO_RCVBUF))
            // `nil` if the kernel is older than 5.14.
            #expect(isBufferLimited == false)
            receiver.setBufferGrowth(false)
            #expect(isBufferLimited == true && option(SO_RCVBUF) == size)
            let unread = try fill()
            #expect(unread > 0 && unread <= size && option(SO_RCVBUF) == size)
            receiver.setBufferGrowth(true)
            #expect(isBufferLimited == false && option(SO_RCVBUF) == size)
        }

        @Test("limits what the peer may send, and removes the limit", arguments: [false, true])
        func limit(isHeld: Bool) throws {
            defer { end() }
            exchange(1_000_000)
            let wide = try #require(window, "The kernel is older than 5.4.")
            #expect(wide > 30_000)
            // An offered window remains valid until it is used up. It is a multiple of a unit of at most 16
            // KiB.
            let most: UInt32 = 5000 + 1448 + 16 * 1024
            // The kernel raises the limit when it enlarges the buffer, so the engine sets it at each arrival.
            for _ in 0..<256 where try #require(window) >= most {
                if isHeld { receiver.holdWindow(before: 5000) } else { receiver.limitWindow(to: 5000) }
                exchange(1_000_000)
            }
            #expect(try #require(window) < most)
            if isHeld { receiver.holdWindow(before: 1 << 30) } else { receiver.limitWindow(to: 1 << 30) }
            exchange(1_000_000)
            #expect(try #require(window) > 30_000)
        }
    }
#endif
