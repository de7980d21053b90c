#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A listing of a real server, recorded by `Listings/Recorded/record`.
func recordedListing(_ name: String) throws -> [UInt8] {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Listings/Recorded/\(name).html")
    return Array(try Data(contentsOf: file))
}
