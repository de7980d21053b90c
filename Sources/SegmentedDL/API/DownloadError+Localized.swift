#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension DownloadError: LocalizedError {
    /// The message, which `localizedDescription` shows.
    public var errorDescription: String? { message }
}
