/// The effort of a download beyond its bytes.
public struct TransferCost: Sendable, Hashable, Codable {
    /// Bytes of bodies that were received and are not in the file: they came twice, or were not wanted.
    /// Known at the end of a run; for a file that begins again from its start, at once.
    public var bytesUnused: Int64
    /// The number of answers by which a server refused a request for now, such as 429 and 503.
    public var refusals: Int
    /// The number of connections that broke, or could not be made.
    public var drops: Int
    /// The number of requests that were sent again after a wait.
    public var retries: Int

    /// Creates a cost from its parts.
    public init(bytesUnused: Int64 = 0, refusals: Int = 0, drops: Int = 0, retries: Int = 0) {
        self.bytesUnused = bytesUnused
        self.refusals = refusals
        self.drops = drops
        self.retries = retries
    }

    /// Returns the cost of both.
    public static func + (left: TransferCost, right: TransferCost) -> TransferCost {
        TransferCost(
            bytesUnused: left.bytesUnused + right.bytesUnused, refusals: left.refusals + right.refusals,
            drops: left.drops + right.drops, retries: left.retries + right.retries)
    }
}
