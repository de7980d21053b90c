#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

struct Server: Sendable {
    let registry: Registry

    func run(_ listener: Listener) -> Never {
        var serial = 0
        while true {
            guard let descriptor = listener.nextConnection() else {
                usleep(10_000)
                continue
            }
            serial += 1
            let number = serial
            let registry = registry
            let started = startThread {
                Connection(socket: Socket(descriptor), serial: number, registry: registry).serve()
            }
            if !started { close(descriptor) }
        }
    }
}
