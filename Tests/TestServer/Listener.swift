#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

struct Listener: Sendable {
    let descriptor: Int32
    let port: UInt16

    init?(address: String, port: UInt16) {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { return nil }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))

        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        guard inet_pton(AF_INET, address, &name.sin_addr) == 1 else {
            errno = EINVAL
            return nil
        }
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let ready = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, length) == 0 && listen(descriptor, 1024) == 0
                    && getsockname(descriptor, generic, &length) == 0
            }
        }
        guard ready else { return nil }
        self.descriptor = descriptor
        self.port = UInt16(bigEndian: name.sin_port)
    }

    /// Refuses connections from now on. The descriptor stays open, as a thread may be waiting on it.
    func stop() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// The next connection, or nil if the process has no free descriptors and must wait until some are
    /// closed.
    func nextConnection() -> Int32? {
        while true {
            let connection = accept(descriptor, nil, nil)
            if connection >= 0 { return connection }
            if errno != EINTR && errno != ECONNABORTED { return nil }
        }
    }
}
