import SegmentedDLSupport

/// The hosts that have answered a request of this downloader: their names and ports are right.
final class AnsweredHosts: Sendable {
    /// A list may name a million hosts. Beyond this number the set begins again.
    private static let most = 10_000
    /// The number of short answers in a row after which the next one is expected to be short, too.
    private static let shortInARow = 4

    /// The short answers of each host after the last long one.
    private let hosts = Lock<[String: Int]>([:])

    /// The hosts to which the last connection failed.
    private let unreachable = Lock<Set<String>>([])

    /// Notes that no connection to a host could be made: its address may be another one by now.
    func noteUnreachable(_ host: String) {
        unreachable.withLock { hosts in
            if hosts.count >= Self.most { hosts.removeAll() }
            hosts.insert(host)
        }
    }

    func isUnreachable(_ host: String) -> Bool { unreachable.withLock { $0.contains(host) } }

    func contains(_ host: String) -> Bool { hosts.withLock { $0[host] != nil } }

    /// True if the host has sent small files only of late, so that another request may be sent ahead of its
    /// answers: a long body would have to be asked for again.
    func sendsShortBodies(_ host: String) -> Bool {
        hosts.withLock { $0[host, default: 0] >= Self.shortInARow }
    }

    /// - Parameter isShort: True if the whole body came along with the head; `nil` if it was not awaited.
    func note(_ host: String, isShort: Bool? = nil) {
        unreachable.withLock { _ = $0.remove(host) }
        hosts.withLock { hosts in
            if hosts[host] == nil, hosts.count >= Self.most { hosts.removeAll() }
            switch isShort {
            case true?: hosts[host, default: 0] += 1
            case false?: hosts[host] = 0
            case nil: if hosts[host] == nil { hosts[host] = 0 }
            }
        }
    }
}
