/// The delays for which a request for a connection waits.
enum ConnectionPatience: Equatable, Sendable {
    case unlimited
    /// It does not wait for a host that is known to limit connections or requests.
    case unlessRestricted
    /// It waits for pauses that the host requests, up to a maximum in seconds.
    case pauses(upTo: Double)
}
