/// A host's own statement of its request rate limit, before it refuses any.
struct RequestQuota: Equatable, Sendable {
    /// The number of requests that it accepts until the window ends.
    var left: Int
    /// The seconds until the window ends.
    var resetSeconds: Double
}
