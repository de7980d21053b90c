#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension DownloadError {
    /// Creates the error of a call that fails because a closure of the caller has thrown. A `DownloadError`
    /// is used as it is.
    ///
    /// - Parameters:
    ///   - error: The closure's error. The message contains its description and its recovery suggestion.
    ///   - what: The clause that begins the message, without a punctuation mark.
    ///   - code: The kind of failure.
    ///   - url: The URL of the request, without credentials and query.
    package init(
        ofClosure error: any Error, _ what: String, _ code: Code = .closureFailed, url: String? = nil
    ) {
        if let error = error as? DownloadError {
            self = error
            return
        }
        let own = error as? any LocalizedError
        let text = own?.errorDescription ?? own?.failureReason ?? "\(error)"
        let sentence = text.last.map { ".!?".contains($0) } ?? false ? text : "\(text)."
        self.init(code, "\(what): \(sentence)", url: url, cause: error)
        guard let suggestion = own?.recoverySuggestion, !suggestion.isEmpty else { return }
        message += " \(suggestion)"
        self.suggestion = suggestion
    }
}
