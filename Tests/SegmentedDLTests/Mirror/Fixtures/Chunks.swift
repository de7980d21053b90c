#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Bytes in the pieces in which a network may bring them.
enum Chunks {
    /// Sizes of pieces in bytes: single ones, odd ones, one less and more than what libxml2 gets, and
    /// everything.
    static let sizes = [1, 7, 1000, 16_383, 16_385, .max]

    static func of(_ bytes: [UInt8], size: Int) -> [ArraySlice<UInt8>] {
        stride(from: 0, to: bytes.count, by: min(size, max(bytes.count, 1))).map { start in
            bytes[
                start..<min(start.addingReportingOverflow(size).overflow ? .max : start + size, bytes.count)]
        }
    }
}

/// A listing of a real server, recorded by `Listings/Recorded/record`.
func recordedListing(_ name: String) throws -> [UInt8] {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Listings/Recorded/\(name).html")
    return Array(try Data(contentsOf: file))
}
