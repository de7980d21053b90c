public import SegmentedDL

/// One part of a mirror that several machines share: each file belongs to exactly one of them.
///
/// Which one, the file's path alone decides (rendezvous hashing, `docs/mirror-shards.md`): when a shard is added, about one
/// file of each `count` moves, all of them to the new one.
public struct Shard: Sendable, Hashable {
    /// How many shards there may be.
    public static let most = 10_000

    /// Which one it is, from 1 to `count`.
    public let index: Int

    /// How many there are.
    public let count: Int

    /// A shard by its place.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` if there is no such shard.
    public init(_ index: Int, of count: Int) throws(DownloadError) {
        guard (1...Self.most).contains(count), (1...count).contains(index) else {
            throw DownloadError(
                .invalidSetting,
                "There is no shard \(index) of \(count): they count from 1 to N, and N is at most \(Self.most)."
            )
        }
        (self.index, self.count) = (index, count)
    }

    /// Whether a file is its own.
    public func owns(_ path: RelativePath) -> Bool { owns(path.text.utf8) }

    /// - Parameter path: Its bytes.
    func owns(_ path: some Sequence<UInt8>) -> Bool {
        let key = Self.key(path)
        let own = Self.weight(key, index)
        // Most are told by the first few others. Of equals the first one wins.
        return (1...count).allSatisfy { other in
            let weight = Self.weight(key, other)
            return weight < own || (weight == own && other >= index)
        }
    }

    // Others compute these too, and files lie where they say: they stay as they are.

    /// FNV-1a with 64 bits.
    private static func key(_ path: some Sequence<UInt8>) -> UInt64 {
        path.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// The number that SplitMix64, seeded with the key, gives as its `index`th.
    private static func weight(_ key: UInt64, _ index: Int) -> UInt64 {
        var bits = key &+ UInt64(index) &* 0x9e37_79b9_7f4a_7c15
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return bits ^ (bits >> 31)
    }
}

extension Shard: CustomStringConvertible {
    /// As `2/4`.
    public var description: String { "\(index)/\(count)" }
}
