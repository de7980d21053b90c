import Testing

@testable import SegmentedDL

/// A download to simulate.
struct Scenario: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: Int64
    var segments: SegmentCount
    var link: SimulatedLink
    var seed: UInt64 = 1
    /// True if the first bytes are needed first.
    var isInOrder = false
    /// True if earlier bodies of the host have arrived without a pause.
    var isSteady = false

    var testDescription: String { name }

    var limits: Limits {
        var limits = Limits()
        if case .fixed(let count) = segments {
            limits.connections = max(limits.connections, count)
            limits.connectionsPerHost = max(limits.connectionsPerHost, count)
        }
        return limits
    }

    /// The number of connections that the best schedule may use: what the caller allows, whatever the plan
    /// uses.
    var allowedConnections: Int {
        switch segments {
        case .fixed(let count): count
        case .automatic: limits.connectionsPerHost
        }
    }

    /// The number of connections that it gets.
    var connections: Int {
        segments.connections(
            missing: bytes, minimum: Configuration().minimumSegmentSize, limits: limits)
    }

    var best: Double? { BestSchedule(link, connections: allowedConnections).time(for: bytes) }
}
