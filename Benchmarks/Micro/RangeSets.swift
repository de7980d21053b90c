import Benchmark

@testable import SegmentedDL

private let count: Int64 = 4096
private let length: Int64 = 256 * 1024
private let inOrder = (0..<count).map { $0 * length..<($0 + 1) * length }

func rangeSetBenchmarks() {
    // 4,096 operations each: a range is inserted.
    measure("ranges-in-order-4096") { insertAll(inOrder) }

    var numbers = SameNumbers()
    let shuffled = inOrder.shuffled(using: &numbers)
    measure("ranges-at-random-4096") { insertAll(shuffled) }

    // As 16 connections leave them behind each other.
    let interleaved = (0..<256).flatMap { round in (0..<16).map { inOrder[$0 * 256 + round] } }
    measure("ranges-of-16-connections-4096") { insertAll(interleaved) }

    // One operation: what is missing between 2,048 ranges.
    let holes = insertAll(stride(from: 0, to: inOrder.count, by: 2).map { inOrder[$0] })
    measure("ranges-gaps-2048") { ByteRangeSet(0..<count * length).subtracting(holes).byteCount }
}

private func insertAll(_ ranges: [ByteRange]) -> ByteRangeSet {
    var set = ByteRangeSet()
    for range in ranges { set.insert(contentsOf: range) }
    return set
}
