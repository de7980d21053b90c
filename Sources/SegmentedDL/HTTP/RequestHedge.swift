/// Decides when a request without a response is repeated in parallel, on another connection.
///
/// Each request continues until one of them succeeds, so that a server that is merely slow costs nothing but
/// the additional requests.
struct RequestHedge: Equatable, Sendable {
    /// One of the requests.
    enum Kind: Equatable, Sendable {
        case first
        case repeated
        /// The last one, without a range: some servers never respond to ranges.
        case withoutRange
    }

    /// A request that follows the one before it, or the report of the silence, after some seconds.
    struct Step: Equatable, Sendable {
        let kind: Kind
        let delay: Double
    }

    private var steps: ArraySlice<Step>
    private var pending = 1

    /// Creates the rule for a silence that was reported (`SilenceWatch`), usually after five seconds.
    ///
    /// - Parameters:
    ///   - isPrompt: True if the host responds at once to other requests. Another one may merely be slow.
    ///   - mayOmitRange: True if a response without a range is as good as one with it.
    init(isPrompt: Bool, mayOmitRange: Bool) {
        let delays: [Double] = isPrompt ? [0, 2.5] : mayOmitRange ? [5] : [5, 5]
        let repeated = delays.map { Step(kind: .repeated, delay: $0) }
        let last = Step(kind: .withoutRange, delay: isPrompt ? 12.5 : 10)
        steps = (repeated + (mayOmitRange ? [last] : []))[...]
    }

    /// The number of seconds from the report of the silence to the next request; `nil` for none.
    var delay: Double? { steps.first?.delay }

    /// Returns the next request, which the caller sends after its delay; `nil` for none.
    mutating func next() -> Step? { steps.popFirst() }

    /// A further request was sent.
    mutating func sent() { pending += 1 }

    /// A request has failed.
    ///
    /// - Returns: True if no other one can succeed.
    mutating func failed() -> Bool {
        pending -= 1
        return pending == 0
    }
}
