internal import SegmentedDL

extension DownloadError.Code {
    /// The code for programs, which is the name of its constant.
    var word: String { Self.words[self] ?? "error\(rawValue)" }

    private static let words: [DownloadError.Code: String] = [
        .cannotResolve: "cannotResolve", .connectionFailed: "connectionFailed", .tlsFailed: "tlsFailed",
        .timedOut: "timedOut", .badResponse: "badResponse", .badRedirect: "badRedirect",
        .httpStatus: "httpStatus",
        .remoteFileChanged: "remoteFileChanged", .checksumMismatch: "checksumMismatch", .unproven: "unproven",
        .lengthMismatch: "lengthMismatch", .wrongRange: "wrongRange", .encodedContent: "encodedContent",
        .unexpectedType: "unexpectedType",
        .diskFull: "diskFull", .permissionDenied: "permissionDenied", .badPath: "badPath",
        .fileExists: "fileExists", .ioFailed: "ioFailed", .badStore: "badStore",
        .completionFailed: "completionFailed", .closureFailed: "closureFailed", .locked: "locked",
        .invalidURL: "invalidURL", .invalidSetting: "invalidSetting", .duplicate: "duplicate",
        .notFound: "notFound", .shutDown: "shutDown", .waitsForItself: "waitsForItself",
        .cancelled: "cancelled",
    ]
}
