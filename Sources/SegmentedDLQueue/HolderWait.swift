/// Decides whether to wait for the process that has a queue open.
///
/// A plain value that performs no input or output.
struct HolderWait: Equatable, Sendable {
    /// The number of seconds between two attempts to open the queue.
    static let interval = 0.02

    /// The maximum number of seconds to wait for processes that only change the queue. A list of 50,000 URLs
    /// takes such a process four seconds.
    static let longest = 30.0

    private let deadline: Double
    /// True if the process that was found last runs downloads.
    private var foundRunner = false

    init(now: Double) {
        deadline = now + Self.longest
    }

    /// Records that the queue is open in another process.
    ///
    /// - Parameter isBrief: True if that process only changes the queue.
    /// - Returns: False if waiting is useless.
    mutating func continues(isBrief: Bool, now: Double) -> Bool {
        // A process records itself after it has locked the queue: until then, the previous one is found.
        defer { foundRunner = !isBrief }
        return now < deadline && (isBrief || !foundRunner)
    }
}
