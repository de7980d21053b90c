/// Pauses the opening of connections alongside one that receives data, after several consecutive ones that
/// never received any.
struct StartPause: Equatable, Sendable {
    /// The number of consecutive failures after which a pause begins.
    static let mostFailures = 3
    /// The duration of the first pause, in seconds. Each further pause lasts twice as long.
    static let shortestSeconds = 5.0

    /// The end of the last pause.
    private(set) var until: Double
    /// The number of consecutive connections that never received data.
    private(set) var failures = 0
    private var seconds = Self.shortestSeconds

    init(until: Double = -.infinity) {
        self.until = until
    }

    /// Records that a connection has ended that never received data.
    mutating func failed() { failures += 1 }

    var isDue: Bool { failures >= Self.mostFailures }

    /// Begins a pause if one is due and none is in progress.
    mutating func begin(now: Double) {
        guard isDue, now >= until else { return }
        until = now + seconds
        seconds *= 2
    }
}
