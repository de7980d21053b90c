public import SegmentedDL

/// One part of a mirror that is shared by several machines: each file belongs to exactly one part.
///
/// The path alone determines a file's shard (rendezvous hashing). If a shard is added, about one in `count`
/// files moves, always to the new shard.
public struct Shard: Sendable, Hashable {
    /// The maximum number of shards of a mirror.
    public static let maximumCount = 10_000

    /// The number of the shard, from 1 to `count`.
    public let index: Int

    /// The number of shards.
    public let count: Int

    /// Creates a shard from its number.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` if the number is out of range.
    public init(_ index: Int, of count: Int) throws(DownloadError) {
        guard (1...Self.maximumCount).contains(count), (1...count).contains(index) else {
            throw DownloadError(
                .invalidSetting,
                "There is no shard \(index) of \(count): shards are numbered from 1 to N, and N is at most \(Self.maximumCount)."
            )
        }
        (self.index, self.count) = (index, count)
    }

    /// Returns true if a file belongs to the shard.
    public func owns(_ path: RelativePath) -> Bool { owns(path.text.utf8) }

    /// Returns true if a path belongs to the shard.
    ///
    /// - Parameter path: The bytes of the path.
    func owns(_ path: some Sequence<UInt8>) -> Bool {
        let key = Self.key(path)
        let own = Self.weight(key, index)
        // Usually the first few comparisons decide. If weights are equal, the first shard wins.
        return (1...count).allSatisfy { other in
            let weight = Self.weight(key, other)
            return weight < own || (weight == own && other >= index)
        }
    }

    // Do not change these functions: other programs implement them too, and existing mirrors depend on them.

    /// Returns the 64-bit FNV-1a hash.
    private static func key(_ path: some Sequence<UInt8>) -> UInt64 {
        path.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// Returns the `index`th number of SplitMix64 seeded with the key.
    private static func weight(_ key: UInt64, _ index: Int) -> UInt64 {
        var bits = key &+ UInt64(index) &* 0x9e37_79b9_7f4a_7c15
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return bits ^ (bits >> 31)
    }
}

extension Shard: CustomStringConvertible {
    /// The shard as `2/4`.
    public var description: String { "\(index)/\(count)" }
}
