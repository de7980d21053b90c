import SegmentedDL
import SegmentedDLServer

/// The service manager that started the daemon, if it is systemd: sd_listen_fds(3), sd_notify(3),
/// sd_watchdog_enabled(3).
struct ServiceManager: Sendable {
    /// The first descriptor passed on by a service manager.
    private static let firstDescriptor: Int32 = 3

    private let socket: String?
    /// The keep-alive interval; `nil` if not required.
    let watchdog: Duration?
    /// The socket opened for the daemon; `nil` if it opens its own.
    let listener: ServerAddress?

    init(environment: (String) -> String?, process: Int32 = getpid()) {
        socket = environment("NOTIFY_SOCKET")
        let isForUs = environment("WATCHDOG_PID").map { Int32($0) == process } ?? true
        // Send messages twice as often as required.
        watchdog = environment("WATCHDOG_USEC").flatMap(Int64.init).flatMap {
            isForUs && $0 > 1 ? .microseconds($0 / 2) : nil
        }
        let isListener = environment("LISTEN_PID").flatMap(Int32.init) == process
        let count = environment("LISTEN_FDS").flatMap(Int32.init) ?? 0
        listener =
            isListener && count > 0
            ? .descriptor(Self.firstDescriptor, isLocal: Self.isLocal(Self.firstDescriptor)) : nil
    }

    /// True if only programs on this machine can connect to a socket.
    private static func isLocal(_ socket: Int32) -> Bool {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout.size(ofValue: address))
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let isKnown = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(socket, $0, &length) == 0
                    && getnameinfo($0, length, &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST) == 0
            }
        }
        guard isKnown else { return false }
        guard Int32(address.ss_family) != AF_UNIX else { return true }
        let text = String(decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return ServerAddress.network(host: text, port: 0).isLocal
    }

    /// Sends a state to the service manager, such as `READY=1`. A failure does not affect the daemon.
    func notify(_ state: String) {
        guard let socket, !socket.isEmpty else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var path = Array(socket.utf8)
        let length = MemoryLayout.offset(of: \sockaddr_un.sun_path).map { $0 + path.count } ?? 0
        guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        // An abstract name begins with a NUL byte instead of the @ (unix(7)).
        if path.first == UInt8(ascii: "@") { path[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let descriptor = localDatagramSocket()
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = Array(state.utf8)
        _ = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, 0, $0, socklen_t(length))
            }
        }
    }

    /// Sends keep-alive messages until the task is cancelled.
    func keepAlive() async {
        guard let watchdog else { return }
        while (try? await Task.sleep(for: watchdog)) != nil { notify("WATCHDOG=1") }
    }
}
