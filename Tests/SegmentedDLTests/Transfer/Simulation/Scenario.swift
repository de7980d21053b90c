import Testing

@testable import SegmentedDL

/// One download to be simulated.
struct Scenario: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: Int64
    var segments: SegmentCount
    var link: SimulatedLink
    var seed: UInt64 = 1
    /// Whether the first bytes come first.
    var isInOrder = false

    var testDescription: String { name }

    var limits: Limits {
        var limits = Limits()
        if case .fixed(let count) = segments {
            limits.connections = max(limits.connections, count)
            limits.connectionsPerHost = max(limits.connectionsPerHost, count)
        }
        return limits
    }

    /// How many connections the best schedule may use: what the caller allows, whatever we make of it.
    var allowedConnections: Int {
        switch segments {
        case .fixed(let count): count
        case .automatic: limits.connectionsPerHost
        }
    }

    /// How many connections it gets.
    var connections: Int {
        segments.connections(
            missing: bytes, minimum: Configuration().minimumSegmentSize, limits: limits)
    }

    var best: Double? { BestSchedule(link, connections: allowedConnections).time(for: bytes) }
}
