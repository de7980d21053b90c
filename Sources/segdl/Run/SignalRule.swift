/// The effect of each signal that ends a run. A plain value.
struct SignalRule: Equatable, Sendable {
    enum Action: Equatable, Sendable {
        /// End with a checkpoint.
        case stop
        /// Do nothing, because it repeats the same request.
        case ignore
        /// Exit immediately with this exit status.
        case exit(status: Int32)
    }

    /// The time in seconds after the first signal during which further ones count as the same: `timeout` of
    /// coreutils signals its child and then the child's whole group, and the hang-up of a terminal is sent by
    /// both the shell and the kernel.
    static let spanSeconds = 0.5

    /// The first signal received, or `nil`.
    private(set) var first: Int32?
    private var firstAt = 0.0

    /// - Parameter now: Seconds on a clock that never jumps.
    mutating func receive(_ number: Int32, now: Double) -> Action {
        guard first != nil else {
            (first, firstAt) = (number, now)
            return .stop
        }
        return now - firstAt < Self.spanSeconds ? .ignore : .exit(status: 128 + number)
    }
}
