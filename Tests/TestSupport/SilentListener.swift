#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A port of this machine where the system accepts connections, and no program ever answers.
public final class SilentListener: Sendable {
    public struct Failed: Error {}

    public let port: Int
    private let descriptor: CInt

    public init() throws {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        self.descriptor = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isListening else {
            close(descriptor)
            throw Failed()
        }
        port = Int(in_port_t(bigEndian: address.sin_port))
    }

    deinit {
        close(descriptor)
    }
}
