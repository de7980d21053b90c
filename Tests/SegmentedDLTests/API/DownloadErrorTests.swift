import Testing

@testable import SegmentedDL

@Suite("The exit status of errors")
struct DownloadErrorTests {
    /// The table in the command's documentation.
    private static let table: [(DownloadError.Code, Int32)] = [
        (.cannotResolve, 2), (.connectionFailed, 2), (.tlsFailed, 2), (.timedOut, 2), (.badResponse, 2),
        (.badRedirect, 2), (.httpStatus, 3), (.remoteFileChanged, 4), (.checksumMismatch, 4),
        (.lengthMismatch, 4),
        (.wrongRange, 4), (.encodedContent, 4), (.unexpectedType, 4), (.diskFull, 5), (.permissionDenied, 5),
        (.badPath, 5),
        (.fileExists, 5), (.ioFailed, 5), (.locked, 6), (.invalidURL, 64), (.invalidSetting, 64),
    ]

    @Test("each code has the status of its category", arguments: table)
    func status(code: DownloadError.Code, status: Int32) {
        #expect(DownloadError(code, "x").exitStatus == status)
    }

    @Test("no two codes have the same number")
    func distinct() {
        #expect(Set(Self.table.map(\.0)).count == Self.table.count)
    }

    @Test("the description is the message")
    func description() {
        #expect("\(DownloadError(.locked, "It is locked."))" == "It is locked.")
    }
}
