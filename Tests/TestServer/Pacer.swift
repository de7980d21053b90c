import SegmentedDLSupport

/// A pacer shared by all answers of a case, as connections share a line.
final class SharedPacer: Sendable {
    private let pacer: Lock<Pacer>

    init(bytesPerSecond: Int64) {
        pacer = Lock(Pacer(bytesPerSecond: bytesPerSecond))
    }

    /// A part of the bytes that may be sent now, so that some are left for the other answers.
    func allowance(upTo limit: Int) -> Int {
        pacer.withLock { $0.allowance(upTo: min(limit, Self.turn)) }
    }

    private static let turn = 8 << 10
}

/// Spreads bytes evenly over time, in slices of about 10 ms.
struct Pacer {
    static let slice = 0.01
    /// The maximum lag in seconds that is made up for: enough for a late wake-up, too little for a burst
    /// after a pause.
    private static let memory = 0.1

    /// Small, so that little of an abandoned answer is lost in the kernel; but the bytes that wait for the
    /// peer's delayed ACK must fit, or the ACKs limit the speed.
    static func sendBuffer(forBytesPerSecond rate: Int64) -> Int {
        Int(max(16 << 10, min(rate / 20, 1 << 20)))
    }

    private let rate: Double
    private var credit: Double
    private var last = monotonicSeconds()

    init(bytesPerSecond: Int64) {
        rate = Double(max(1, bytesPerSecond))
        credit = rate * Self.slice
    }

    /// The number of bytes that may be sent now; 0 if a wait is needed first.
    mutating func allowance(upTo limit: Int) -> Int {
        let now = monotonicSeconds()
        credit = min(credit + (now - last) * rate, max(rate * Self.memory, 1))
        last = now
        let worthSending = max(1, min(rate * Self.slice, Double(limit)))
        guard credit >= worthSending else { return 0 }
        let count = Int(min(credit, Double(limit)))
        credit -= Double(count)
        return count
    }
}
