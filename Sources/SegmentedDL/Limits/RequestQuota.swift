/// The request rate limit that a host announces before it refuses requests.
struct RequestQuota: Equatable, Sendable {
    /// The number of requests that it accepts until the window ends.
    var left: Int
    /// The seconds until the window ends.
    var resetSeconds: Double
    /// True if the seconds are a whole number that the host may have rounded down.
    var isRounded = false
    /// True if the host states that its windows have a single request.
    var isOfOne = false
    /// True if the host states only the size of its windows, and counts no requests.
    var isPolicy = false
    /// The host's name for the quota; empty for none.
    var name = ""
    /// The other quotas that apply to the request, less strict now, with other names and without others.
    var others: [RequestQuota] = []

    /// The maximum number of seconds until the window ends.
    var longestReset: Double { isRounded ? resetSeconds + 1 : resetSeconds }

    /// True if the host accepts no request until the window ends.
    var isExhausted: Bool { left <= 0 && resetSeconds > 0 && !isPolicy }
}
