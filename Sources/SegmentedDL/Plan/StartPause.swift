/// The pause in new connections beside a working one, after several consecutive ones that never received
/// data.
struct StartPause: Equatable, Sendable {
    /// The consecutive failures after which a pause begins.
    static let mostFailures = 3
    /// Seconds of the first pause; each further one lasts twice as long.
    static let shortestSeconds = 5.0

    /// The end of the last pause.
    private(set) var until: Double
    /// Consecutive connections that never received data.
    private(set) var failures = 0
    private var seconds = Self.shortestSeconds

    init(until: Double = -.infinity) {
        self.until = until
    }

    /// A connection has ended that never received data.
    mutating func failed() { failures += 1 }

    var isDue: Bool { failures >= Self.mostFailures }

    /// Begins a pause that is due, unless one lasts.
    mutating func begin(now: Double) {
        guard isDue, now >= until else { return }
        until = now + seconds
        seconds *= 2
    }
}
