/// The overhead of a download.
public struct TransferCost: Sendable, Hashable, Codable {
    /// Bytes of bodies that were received but are not in the file, because they were duplicates or discarded.
    /// Known at the end of a run, or immediately when a file starts over.
    public var bytesUnused: Int64
    /// The number of responses that temporarily refused a request, such as 429 and 503.
    public var refusals: Int
    /// The number of connections that broke or could not be opened.
    public var drops: Int
    /// The number of requests that were retried after a delay.
    public var retries: Int

    /// Creates a cost from its parts.
    public init(bytesUnused: Int64 = 0, refusals: Int = 0, drops: Int = 0, retries: Int = 0) {
        self.bytesUnused = bytesUnused
        self.refusals = refusals
        self.drops = drops
        self.retries = retries
    }

    /// Returns the sum of both.
    public static func + (left: TransferCost, right: TransferCost) -> TransferCost {
        TransferCost(
            bytesUnused: left.bytesUnused + right.bytesUnused, refusals: left.refusals + right.refusals,
            drops: left.drops + right.drops, retries: left.retries + right.retries)
    }
}
