/// Decides when an active small file gets a name and a manifest, so that a kill does not lose its bytes.
///
/// Creating them costs more than transferring most small files, which are complete before the first check.
enum ManifestThreshold {
    /// The interval in seconds between checks, and before the first one.
    static let interval = 0.1

    /// The minimum remaining time in seconds: a file that completes sooner is not worth the system calls.
    private static let shortestRest = 0.2

    /// - Parameters:
    ///   - written: The bytes on disk.
    ///   - length: The file's length in bytes.
    ///   - seconds: The time since the transfer began.
    static func isWorthIt(written: Int64, of length: Int64, after seconds: Double) -> Bool {
        guard written > 0 else { return false }
        return seconds / Double(written) * Double(length - written) >= shortestRest
    }
}
