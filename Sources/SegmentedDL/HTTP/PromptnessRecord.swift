/// A record of whether a host responds at once.
struct PromptnessRecord: Equatable, Sendable {
    /// A response is prompt if its head arrives within this many seconds.
    static let promptSeconds = 1.0
    /// The number of consecutive prompt responses after a slow one that show that the host is prompt again.
    static let enough = 4

    /// The number of prompt responses since the last slow one; `nil` without a response.
    private var prompt: Int?

    mutating func responded(after seconds: Double) {
        prompt = seconds < Self.promptSeconds ? min((prompt ?? Self.enough) + 1, Self.enough) : 0
    }

    /// True if the next response is expected at once.
    var isPrompt: Bool { prompt == Self.enough }
}
