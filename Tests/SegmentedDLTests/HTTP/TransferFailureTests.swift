import SystemPackage
import Testing

@testable import SegmentedDL

@Suite("What a caller sees of failures")
struct TransferFailureTests {
    struct Row: CustomTestStringConvertible, Sendable {
        var failure: TransferFailure
        var code: DownloadError.Code
        var isRetryable: Bool

        var testDescription: String { "\(failure)" }
    }

    private static func network(_ kind: EngineError.Kind) -> TransferFailure {
        .network(EngineError(kind: kind, message: "details"))
    }

    static let rows: [Row] = [
        Row(failure: network(.resolve), code: .cannotResolve, isRetryable: true),
        Row(failure: network(.connect), code: .connectionFailed, isRetryable: true),
        Row(failure: network(.lost), code: .connectionFailed, isRetryable: true),
        Row(failure: network(.other), code: .connectionFailed, isRetryable: true),
        Row(failure: network(.tls), code: .tlsFailed, isRetryable: false),
        Row(failure: network(.timeout), code: .timedOut, isRetryable: true),
        Row(failure: network(.truncated), code: .lengthMismatch, isRetryable: true),
        Row(failure: network(.badResponse), code: .badResponse, isRetryable: true),
        Row(failure: .busy(status: 503, retryAfter: 1), code: .httpStatus, isRetryable: true),
        Row(failure: .failing(status: 500), code: .httpStatus, isRetryable: true),
        Row(failure: .refused(status: 404), code: .httpStatus, isRetryable: false),
        Row(failure: .rangeIgnored, code: .wrongRange, isRetryable: true),
        Row(failure: .wrongRange("bytes 0 to 5"), code: .wrongRange, isRetryable: true),
        Row(failure: .encoded("gzip"), code: .encodedContent, isRetryable: false),
        Row(failure: .redirect("went in circles"), code: .badRedirect, isRetryable: false),
        Row(failure: .shortBody, code: .lengthMismatch, isRetryable: true),
        Row(failure: .changed("its length"), code: .remoteFileChanged, isRetryable: true),
    ]

    @Test("each has its code, the file's name, and a URL without secrets", arguments: rows)
    func codes(row: Row) throws {
        let source = try Source("https://user:secret@host.example/x.iso?token=secret")
        let error = row.failure.error(for: source, file: "x.iso")
        #expect(error.code == row.code)
        #expect(error.isRetryable == row.isRetryable)
        #expect(error.message.hasPrefix("x.iso: "))
        #expect(error.message.hasSuffix("."))
        #expect(!error.message.contains("secret"))
        #expect(error.url == "https://host.example/x.iso?…")
    }

    @Test(
        "a status is told",
        arguments: [
            (TransferFailure.refused(status: 403), 403), (.failing(status: 502), 502),
            (.busy(status: 429, retryAfter: nil), 429),
        ])
    func status(failure: TransferFailure, status: Int) throws {
        let error = failure.error(for: try Source("https://host.example/x"), file: "x")
        #expect(error.status == status)
        #expect(error.message.contains("\(status)"))
        #expect(error.exitStatus == 3)
    }

    @Test("errors from elsewhere come through as they are")
    func passed() throws {
        let source = try Source("https://host.example/x")
        let storage = StorageError(action: "write", path: "x.part", errno: .noSpace)
        #expect(TransferFailure.storage(storage).error(for: source, file: "x").code == .diskFull)
        let other = TransferFailure.other(DownloadError(.locked, "It is locked."))
        #expect(other.error(for: source, file: "x").message == "It is locked.")
    }
}
