import SegmentedDLOptions

/// aria2's options for its RPC interface.
struct Aria2Daemon: Sendable, Equatable {
    let isEnabled: Bool
    let port: Int
    /// True to listen on all addresses, otherwise only on loopback.
    let listensToAll: Bool
    let secret: String?
    let allowsAllOrigins: Bool
    let isSecure: Bool
    let certificate: String?
    let privateKey: String?

    init(_ values: Aria2Values) {
        isEnabled = values.flag("enable-rpc")
        port = values.number("rpc-listen-port")
        listensToAll = values.flag("rpc-listen-all")
        secret = values.nonEmpty("rpc-secret")
        allowsAllOrigins = values.flag("rpc-allow-origin-all")
        isSecure = values.flag("rpc-secure")
        certificate = values.nonEmpty("rpc-certificate")
        privateKey = values.nonEmpty("rpc-private-key")
    }
}
