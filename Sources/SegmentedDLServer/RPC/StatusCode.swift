package import SegmentedDL

/// aria2's error codes (aria2's manual, EXIT STATUS); those for HTTP as in aria2c 1.36.
package enum StatusCode {
    package static func of(_ code: DownloadError.Code, status: Int?) -> Int {
        switch code {
        case .timedOut: 2
        case .diskFull: 9
        case .cannotResolve: 19
        case .connectionFailed, .tlsFailed: 6
        case .badRedirect: 23
        case .httpStatus: ofHTTP(status)
        case .badResponse, .wrongRange, .encodedContent, .unexpectedType: 22
        case .remoteFileChanged, .lengthMismatch: 8
        case .checksumMismatch: 32
        case .fileExists, .duplicate: 13
        case .badPath, .permissionDenied: 16
        case .ioFailed: 17
        case .locked: 11
        case .invalidSetting: 28
        default: 1
        }
    }

    private static func ofHTTP(_ status: Int?) -> Int {
        switch status {
        case 401: 24
        case 404: 3
        case 502, 503, 504: 29
        default: 22
        }
    }
}
