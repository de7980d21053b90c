/// Bytes in chunks as a network may deliver them.
public enum Chunks {
    /// Chunk sizes in bytes: single ones, odd ones, one less and one more than libxml2 receives at a time,
    /// and everything.
    public static let sizes = [1, 7, 1000, 16_383, 16_385, .max]

    public static func of(_ bytes: [UInt8], size: Int) -> [ArraySlice<UInt8>] {
        stride(from: 0, to: bytes.count, by: min(size, max(bytes.count, 1))).map { start in
            bytes[
                start..<min(start.addingReportingOverflow(size).overflow ? .max : start + size, bytes.count)]
        }
    }
}
