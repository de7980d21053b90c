/// The requests of a thread that use the same connection, by its local port.
///
/// A multi handle of libcurl 7.88 may have connections to a host in HTTP/2 and in HTTP/1.1. Then libcurl
/// sends several requests at once over a connection in HTTP/1.1, and gives an answer to the wrong request
/// (curl issue 4885). So an answer in HTTP/1.1 counts only if no other request used its connection.
final class ConnectionUse {
    private var ports: [TransferID: Int] = [:]
    private var requests: [Int: Set<TransferID>] = [:]

    /// Learns that a request is about to be sent.
    func began(_ id: TransferID, port: Int) {
        ended(id)
        ports[id] = port
        requests[port, default: []].insert(id)
    }

    func ended(_ id: TransferID) {
        guard let port = ports.removeValue(forKey: id) else { return }
        requests[port]?.remove(id)
        if requests[port]?.isEmpty ?? false { requests[port] = nil }
    }

    /// Returns true if no other request is under way over the same connection.
    func isAlone(_ id: TransferID) -> Bool {
        ports[id].flatMap { requests[$0] } == [id]
    }
}
