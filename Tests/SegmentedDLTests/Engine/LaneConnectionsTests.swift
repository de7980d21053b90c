import Testing

@testable import SegmentedDL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

@Suite("The connections of an engine thread")
struct LaneConnectionsTests {
    /// A connection over loopback, as opened by libcurl.
    private final class Pair {
        let client: Int32
        let server: Int32
        let port: Int

        init() throws {
            func failure() -> POSIXFailure { POSIXFailure(code: errno) }
            #if canImport(Glibc)
                let stream = Int32(SOCK_STREAM.rawValue)
            #else
                let stream = SOCK_STREAM
            #endif
            let listener = socket(AF_INET, stream, 0)
            let client = socket(AF_INET, stream, 0)
            defer { close(listener) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            func call(_ body: (UnsafeMutablePointer<sockaddr>) -> Int32) throws {
                let result = withUnsafeMutablePointer(to: &address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
                }
                guard result == 0 else { throw failure() }
            }
            try call { bind(listener, $0, length) }
            guard listen(listener, 1) == 0 else { throw failure() }
            try call { getsockname(listener, $0, &length) }
            try call { connect(client, $0, length) }
            let server = accept(listener, nil, nil)
            guard server >= 0 else { throw failure() }
            try call { getsockname(client, $0, &length) }
            (self.client, self.server) = (client, server)
            port = Int(UInt16(bigEndian: address.sin_port))
        }

        deinit {
            close(client)
            close(server)
        }

        /// True if the client has closed the connection.
        var isEnded: Bool {
            var byte: UInt8 = 0
            return recv(server, &byte, 1, Int32(MSG_DONTWAIT)) == 0
        }
    }

    private struct POSIXFailure: Error {
        let code: Int32
    }

    @Test("only an idle one to the host is closed, visibly to its server")
    func closesIdle() throws {
        let connections = LaneConnections()
        let pair = try Pair()
        connections.opened(pair.client)
        #expect(!connections.closeIdle())
        let used = try #require(connections.use(port: pair.port, host: "a", insteadOf: nil))
        let other = try #require(connections.use(port: pair.port, host: "a", insteadOf: nil))
        #expect(connections.leave(used))
        #expect(!connections.hasIdle(to: "a") && !connections.closeIdle(to: "a"))
        #expect(connections.leave(other))
        #expect(connections.hasIdle(to: "a") && !connections.hasIdle(to: "b"))
        #expect(!connections.closeIdle(to: "b"))
        #expect(!pair.isEnded)
        #expect(connections.closeIdle(to: "a"))
        #expect(pair.isEnded)
        #expect(!connections.closeIdle(to: "a"))
    }

    @Test("idle ones to the host are closed until a number is left, but none in use")
    func closesSpare() throws {
        let connections = LaneConnections()
        let pairs = try (0..<4).map { _ in try Pair() }
        for pair in pairs { connections.opened(pair.client) }
        let used = try pairs.map {
            try #require(connections.use(port: $0.port, host: "a", insteadOf: nil))
        }
        connections.closeIdle(to: "a", leaving: 0)
        #expect(pairs.allSatisfy { !$0.isEnded })
        for connection in used.prefix(3) { #expect(connections.leave(connection)) }
        connections.closeIdle(to: "b", leaving: 0)
        connections.closeIdle(to: "a", leaving: 2)
        #expect(pairs.count { $0.isEnded } == 2 && !pairs[3].isEnded)
        connections.closeIdle(to: "a", leaving: 0)
        #expect(pairs.map(\.isEnded) == [true, true, true, false])
    }

    @Test("a proxy's connection belongs to the host of its newest request")
    func proxy() throws {
        let connections = LaneConnections()
        let pair = try Pair()
        connections.opened(pair.client)
        let first = try #require(connections.use(port: pair.port, host: "a", insteadOf: nil))
        #expect(connections.leave(first))
        let second = try #require(connections.use(port: pair.port, host: "b", insteadOf: nil))
        #expect(!connections.closeIdle(to: "a") && !connections.closeIdle())
        #expect(connections.leave(second))
        #expect(!connections.closeIdle(to: "a") && connections.closeIdle(to: "b"))
    }

    @Test("a request that libcurl sends again has its newest connection only")
    func again() throws {
        let connections = LaneConnections()
        let (old, new) = (try Pair(), try Pair())
        for pair in [old, new] { connections.opened(pair.client) }
        let before = connections.use(port: old.port, host: "a", insteadOf: nil)
        let after = try #require(connections.use(port: new.port, host: "a", insteadOf: before))
        #expect(connections.closeIdle(to: "a"))
        #expect(old.isEnded && !new.isEnded)
        connections.closed(new.client)
        #expect(!connections.leave(after))
        #expect(!connections.hasIdle(to: "a"))
    }
}
