#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A local port where the system accepts connections, but no program ever answers; or where it drops
/// connection attempts, as a firewall does.
public final class SilentListener: Sendable {
    public struct Failed: Error {}

    public let port: Int
    private let descriptor: CInt
    /// The accepted connection; the backlog has no room for others.
    private let guest: CInt?

    /// - Parameter drops: True to drop packets.
    public init(drops: Bool = false) throws {
        let descriptor = Self.socket()
        let guest = drops ? Self.socket() : nil
        self.descriptor = descriptor
        self.guest = guest
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        let isListening =
            Self.with(&address) { bind(descriptor, $0, $1) == 0 && listen(descriptor, drops ? 0 : 16) == 0 }
            && Self.with(&address) { pointer, length in
                var length = length
                guard getsockname(descriptor, pointer, &length) == 0 else { return false }
                return guest.map { connect($0, pointer, length) == 0 } ?? true
            }
        guard isListening else {
            close(descriptor)
            if let guest { close(guest) }
            throw Failed()
        }
        port = Int(in_port_t(bigEndian: address.sin_port))
    }

    private static func with(
        _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Bool
    ) -> Bool {
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func socket() -> CInt {
        #if canImport(Glibc)
            Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #else
            Darwin.socket(AF_INET, SOCK_STREAM, 0)
        #endif
    }

    deinit {
        close(descriptor)
        if let guest { close(guest) }
    }
}
