import SegmentedDLSupport

/// The hosts that have answered a request of this downloader: their names and ports are right.
final class AnsweredHosts: Sendable {
    /// A list may name a million hosts. Beyond this number the set begins again.
    private static let most = 10_000

    private let hosts = Lock<Set<String>>([])

    func contains(_ host: String) -> Bool { hosts.withLock { $0.contains(host) } }

    func note(_ host: String) {
        hosts.withLock { hosts in
            if hosts.contains(host) { return }
            if hosts.count >= Self.most { hosts.removeAll() }
            hosts.insert(host)
        }
    }
}
