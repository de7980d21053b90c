internal import SegmentedDL

/// Which paths a job has seen, in 16 bytes each: a million of them fit into 32 MiB.
///
/// It keeps two hashes of each path that nobody can foresee, since `Hasher` is seeded at random in each process. Two paths
/// of a billion are taken for one with a probability of less than 10^-20.
struct PathSet: Sendable {
    private var seen: Set<SIMD2<Int>> = []

    /// - Returns: Whether it is new.
    mutating func insert(_ path: RelativePath) -> Bool {
        var (one, other) = (Hasher(), Hasher())
        other.combine(1 as UInt8)
        path.hash(into: &one)
        path.hash(into: &other)
        return seen.insert(SIMD2(one.finalize(), other.finalize())).inserted
    }
}
