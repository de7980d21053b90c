/// The consequence of each signal that ends a run. A plain value.
struct SignalRule: Equatable, Sendable {
    enum Action: Equatable, Sendable {
        /// End with a checkpoint.
        case stop
        /// Do nothing: it is the same request once more.
        case ignore
        /// End at once, with this exit status.
        case exit(status: Int32)
    }

    /// The time after the first signal in which further ones count as the same, in seconds: `timeout` of
    /// coreutils signals its child and then the child's whole group, and a terminal's hang-up comes from the
    /// shell and from the kernel.
    static let spanSeconds = 0.5

    /// The first signal; `nil` before it.
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
