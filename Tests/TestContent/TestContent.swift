#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// File content that is a function only of a seed and an offset, so that tests need neither fixture files nor
/// memory for the whole file, and every misplaced byte is detected.
///
/// The file consists of 64 KiB blocks, each a window into one shared table of noise. It uses only `memcpy`
/// and `memcmp`, which are fast even in builds without optimisation.
public struct TestContent: Sendable, Hashable {
    public let seed: UInt64

    public init(seed: UInt64) {
        self.seed = seed
    }

    /// Fills `buffer` with the bytes of the file from `offset` on.
    public func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) {
        guard let base = buffer.baseAddress, offset >= 0 else { return }
        NoiseTable.bytes.withUnsafeBytes { table in
            guard let noise = table.baseAddress else { return }
            var done = 0
            while done < buffer.count {
                let position = offset + Int64(done)
                let block = UInt64(position >> NoiseTable.blockShift)
                let inBlock = Int(position & Int64(NoiseTable.blockSize - 1))
                let count = min(NoiseTable.blockSize - inBlock, buffer.count - done)
                let target = base + done
                memcpy(target, noise + windowStart(ofBlock: block) + inBlock, count)
                if inBlock < NoiseTable.stampSize {
                    stamp(target, block: block, skipping: inBlock, limit: count)
                }
                done += count
            }
        }
    }

    public func bytes(_ range: Range<Int64>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            fill(UnsafeMutableRawBufferPointer(buffer), at: range.lowerBound)
            count = range.count
        }
    }

    /// The low seed bits only shift the window, never by a multiple of the table's size: adjacent seeds, as
    /// for two versions of a file, therefore have different windows for every block.
    private func windowStart(ofBlock block: UInt64) -> Int {
        let scattered = NoiseTable.mix(block &* 0x9E37_79B9_7F4A_7C15 ^ NoiseTable.mix(seed >> 20))
        let shift = (seed & 0xF_FFFF) &* 0x9E37_79B1
        return Int((scattered &+ shift) & UInt64(NoiseTable.windowCount - 1))
    }

    private func stamp(_ target: UnsafeMutableRawPointer, block: UInt64, skipping: Int, limit: Int) {
        var value = NoiseTable.mix(NoiseTable.mix(seed ^ 0x5EED) &+ block).littleEndian
        withUnsafeBytes(of: &value) { stamp in
            guard let source = stamp.baseAddress else { return }
            memcpy(target, source + skipping, min(NoiseTable.stampSize - skipping, limit))
        }
    }
}
