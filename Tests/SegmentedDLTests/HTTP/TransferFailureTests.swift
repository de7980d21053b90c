import SystemPackage
import Testing

@testable import SegmentedDL

@Suite("Failures as seen by a caller")
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
        Row(failure: network(.refused), code: .connectionFailed, isRetryable: true),
        Row(failure: network(.lost), code: .connectionFailed, isRetryable: true),
        Row(failure: network(.other), code: .connectionFailed, isRetryable: true),
        Row(failure: network(.tls), code: .tlsFailed, isRetryable: false),
        Row(failure: network(.timeout), code: .timedOut, isRetryable: true),
        Row(failure: network(.truncated), code: .connectionFailed, isRetryable: true),
        Row(failure: network(.badResponse), code: .badResponse, isRetryable: true),
        Row(failure: .busy(status: 503, retryAfter: 1), code: .httpStatus, isRetryable: true),
        Row(failure: .busyForFile(status: 503, retryAfter: 1), code: .httpStatus, isRetryable: true),
        Row(failure: .failing(status: 500), code: .httpStatus, isRetryable: true),
        Row(failure: .refused(status: 404), code: .httpStatus, isRetryable: false),
        Row(failure: .expired(status: 403, at: nil), code: .httpStatus, isRetryable: false),
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
        "a status is reported",
        arguments: [
            (TransferFailure.refused(status: 403), 403), (.failing(status: 502), 502),
            (.busy(status: 429, retryAfter: nil), 429), (.busyForFile(status: 503, retryAfter: nil), 503),
        ])
    func status(failure: TransferFailure, status: Int) throws {
        let error = failure.error(for: try Source("https://host.example/x"), file: "x")
        #expect(error.status == status)
        #expect(error.message.contains("\(status)"))
        #expect(error.exitStatus == 3)
    }

    @Test("a body that cannot be decoded is due to an option only if that was given")
    func undecoded() throws {
        let source = try Source("https://host.example/x")
        let failure = TransferFailure.network(.undecoded)
        var circumstances = Circumstances()
        let unasked = failure.error(for: source, file: "x", circumstances)
        #expect(unasked.message.contains("a coding that was not asked for"), "\(unasked)")
        #expect(unasked.remedy == nil && unasked.code == .badResponse && !unasked.isRetryable)
        circumstances.asksForCoding = true
        let asked = failure.error(for: source, file: "x", circumstances)
        #expect(!asked.message.contains("not asked for") && asked.remedy == .undecodedContent, "\(asked)")
    }

    @Test(
        "a response without a status line may be of another protocol, and of https only over http",
        arguments: [("http", true), ("https", false)])
    func noStatusLine(scheme: String, mayBeTLS: Bool) throws {
        let source = try Source("\(scheme)://host.example:8443/x")
        let error = EngineError(kind: .badResponse, message: "Received HTTP/0.9 when not allowed")
        let text = TransferFailure.network(error).error(for: source, file: "x").message
        #expect(text.contains("the port may be for https, HTTP/2 only") == mayBeTLS, "\(text)")
        #expect(text.contains("HTTP/2 only, or another protocol"), "\(text)")
        #expect(!text.contains("HTTP/0.9") && text.hasSuffix("; check the scheme and the port."), "\(text)")
        let kept = TransferFailure.network(error).error(
            for: source, file: "x", Circumstances(kept: .resumable))
        #expect(kept.message.hasSuffix("; run it again to resume."), "\(kept)")
    }

    @Test("a response that no parser accepts is requested three times in all")
    func malformed() throws {
        guard case .network(let error)? = TransferFailure(.malformed("several Content-Lengths")) else {
            Issue.record("it is another failure")
            return
        }
        #expect(error.mostRetries == 2 && error.kind == .badResponse)
        // One of the four requests for a later range is without a range.
        guard case .network(let later) = TransferFailure.network(error).ofLaterRange,
            case .network(let undecoded) = TransferFailure.network(.undecoded).ofLaterRange
        else {
            Issue.record("it is another failure")
            return
        }
        #expect(later.mostRetries == 3 && undecoded.mostRetries == 0)
    }

    @Test(
        "an expired signed URL must be replaced",
        arguments: [
            (Circumstances.Kept.resumable, "use a new one to resume."), (.nothing, "use a new one."),
            (.startsOver, "use a new one; it will start over."),
        ])
    func expired(kept: Circumstances.Kept, advice: String) throws {
        let source = try Source("https://host.example/x?Expires=1000000000&Signature=S")
        let circumstances = Circumstances(kept: kept)
        let failure = TransferFailure.expired(status: 403, at: 1_000_000_000)
        let error = failure.error(for: source, file: "x", circumstances)
        #expect(
            error.message
                == "x: the server answered 403: the signed URL expired at 2001-09-09 01:46:40 UTC; \(advice)")
        #expect(error.status == 403 && error.remedy == nil && error.exitStatus == 3)
        #expect(error.recoverySuggestion == "U\(advice.dropFirst())")
        let stated = TransferFailure.expired(status: 400, at: nil).told(
            by: source.origin, reason: "AccessDenied: Request has expired", of: source)
        #expect(
            stated.error(for: source, file: "x", circumstances).message
                == "x: the server answered 400, and says 'AccessDenied: Request has expired': the signed URL has expired; \(advice)"
        )
    }

    @Test("a 403 may be due to the User-Agent, unless a user is refused")
    func forbidden() throws {
        let source = try Source("https://host.example/x")
        let failure = TransferFailure.refused(status: 403)
        let error = failure.error(for: source, file: "x")
        #expect(
            error.message.contains("may have expired") && error.message.contains("User-Agent"), "\(error)")
        #expect(error.remedy == .userAgent)
        let ofUser = failure.error(for: source, file: "x", Circumstances(hasCredentials: true))
        #expect(!ofUser.message.contains("User-Agent") && ofUser.remedy == nil, "\(ofUser)")
        #expect(TransferFailure.refused(status: 404).error(for: source, file: "x").remedy == nil)
    }

    @Test(
        "resuming is promised only if the next run can resume",
        arguments: [
            (Circumstances.Kept.resumable, "; run it again to resume."),
            (.startsOver, "; run it again; it will start over."), (.nothing, "; try again later."),
        ])
    func resuming(kept: Circumstances.Kept, advice: String) throws {
        let source = try Source("https://host.example/x")
        for failure in [Self.network(.lost), .shortBody] {
            let error = failure.error(for: source, file: "x", Circumstances(kept: kept))
            #expect(error.message.hasSuffix(advice), "\(error.message)")
        }
    }

    @Test("an unreachable host is reported with a remedy")
    func unreached() throws {
        let source = try Source("http://host.example:81/x")
        func message(_ kind: EngineError.Kind, _ text: String) -> String {
            let error = EngineError(kind: kind, message: text).namingProxy(before: source.origin)
            return TransferFailure.network(error).error(for: source, file: "x").message
        }
        #expect(
            message(.resolve, "Could not resolve host: host.example")
                == "x: the host 'host.example' cannot be resolved; check the name, or the network."
        )
        #expect(message(.refused, "no").hasSuffix("; check the host and the port."))
        let proxy = message(.refused, "Failed to connect to 127.0.0.1 port 1 after 0 ms: Couldn't connect")
        #expect(proxy.contains("no connection to the proxy 127.0.0.1:1 ("), "\(proxy)")
        #expect(proxy.hasSuffix("; check the address of the proxy."), "\(proxy)")
        let name = message(.resolve, "Could not resolve proxy: proxy.example")
        #expect(name.contains("the proxy proxy.example cannot be resolved"), "\(name)")
    }

    @Test("the failing host is named, even if another one was requested")
    func otherHost() throws {
        let source = try Source("http://first.example/x?sig=secret")
        let other = Origin(scheme: "https", host: "other.example", port: 8443)
        func message(_ failure: TransferFailure, reason: String? = nil) -> String {
            failure.told(by: other, reason: reason, of: source).error(for: source, file: "x").message
        }
        let unresolved = EngineError(kind: .resolve, message: "Could not resolve host: other.example")
        #expect(
            message(.network(unresolved))
                == "x: the host 'other.example' cannot be resolved; check the name, or the network.")
        for kind: EngineError.Kind in [
            .refused, .connect, .tls, .timeout, .lost, .truncated, .badResponse, .other,
        ] {
            let text = message(.network(EngineError(kind: kind, message: "details")))
            #expect(text.contains("other.example:8443") && !text.contains("first.example"), "\(text)")
        }
        let refusals: [TransferFailure] = [
            .refused(status: 403), .failing(status: 502), .busy(status: 503, retryAfter: nil),
            .busyForFile(status: 429, retryAfter: 3),
        ]
        for failure in refusals {
            #expect(message(failure).hasPrefix("x: other.example:8443 "), "\(message(failure))")
            #expect(message(failure, reason: "No more").contains("and says 'No more'"))
            let own = failure.told(by: source.origin, reason: "Why", of: source).error(for: source, file: "x")
            #expect(own.message.hasPrefix("x: the server ") && own.reason == "Why", "\(own)")
        }
        #expect(
            message(.refused(status: 404), reason: "No such key")
                == "x: other.example:8443 answered 404 (not found), and says 'No such key': check the URL.")
    }

    @Test(
        "libcurl's message is omitted if it only repeats the host",
        arguments: [
            (
                .refused, "Failed to connect to h port 80 after 0 ms: Couldn't connect to server",
                "connection refused"
            ),
            (.connect, "Failed to connect to h port 80 after 9 ms: No route to host", "No route to host"),
            (.resolve, "Could not resolve host: h", nil),
            (.resolve, "Could not resolve host: h (Domain name not found)", "Domain name not found"),
            (.lost, "Empty reply from server", "Empty reply from server"),
        ] as [(EngineError.Kind, String, String?)])
    func details(kind: EngineError.Kind, message: String, detail: String?) {
        #expect(EngineError(kind: kind, message: message).detail == detail)
    }

    @Test("refused credentials do not lead to a request for credentials")
    func wrongPassword() throws {
        let source = try Source("https://host.example/x")
        func message(hasCredentials: Bool) -> String {
            let circumstances = Circumstances(hasCredentials: hasCredentials)
            return TransferFailure.refused(status: 401).error(for: source, file: "x", circumstances).message
        }
        #expect(message(hasCredentials: false).hasSuffix("401 (unauthorized): give credentials."))
        #expect(message(hasCredentials: true).hasSuffix(": check the user name and password."))
    }

    @Test("a proxy that opens no tunnel is named as the one that refuses")
    func proxy() throws {
        let source = try Source("https://host.example/x")
        let error = TransferFailure.proxyRefused(status: 400).error(for: source, file: "x")
        #expect(
            error.message
                == "x: the proxy refused the connection to host.example:443 with 400; check the settings of the proxy."
        )
        #expect(error.status == 400 && error.code == .httpStatus && !error.isRetryable)
        let login = TransferFailure.proxyRefused(status: 407).error(for: source, file: "x")
        #expect(login.message.hasSuffix("; give the proxy's user name and password."))
        let redirect = TransferFailure.proxyRefused(status: 302).error(for: source, file: "x")
        #expect(redirect.message.contains(" with 302 (a redirect, perhaps to a login page); check"))
        #expect(!TransferFailure.proxyRefused(status: 501).error(for: source, file: "x").isRetryable)
        #expect(TransferFailure.proxyRefused(status: 502).error(for: source, file: "x").isRetryable)
    }

    @Test("a proxy whose schemes are not supported is reported as such")
    func proxySchemes() throws {
        let source = try Source("http://host.example/x")
        for (schemes, advice) in [
            (["NTLM", "Negotiate"], "the proxy only accepts NTLM or Negotiate, which is not supported."),
            (["NTLM", "Basic realm=\"a\""], "give the proxy's user name and password."),
            (
                ["Digest realm=\"a\", nonce=\"b\""],
                "the proxy only accepts digest authentication; check the user name and password."
            ),
        ] {
            var status = RefusedStatus(407)
            status.answer = ResponseInfo(
                source: source, finalSource: source, status: 407,
                headers: schemes.map { HTTPHeader("proxy-authenticate", $0) }, suggestedName: nil,
                length: nil, contentType: nil, etag: nil, lastModified: nil)
            let error = TransferFailure.refused(status: status).error(for: source, file: "x")
            #expect(error.message.hasSuffix(advice), "\(error.message)")
            #expect((error.remedy == .proxyDigest) == advice.contains("digest"))
        }
    }

    @Test("the clause is without a full stop, for the log", arguments: rows)
    func clauses(row: Row) throws {
        let clause = row.failure.clause(for: try Source("https://host.example/x?token=secret"))
        #expect(!clause.isEmpty && !clause.hasSuffix(".") && !clause.contains("secret"), "\(clause)")
    }

    @Test("a redirect without a Location is named", arguments: [302, 307])
    func redirectWithoutTarget(status: Int) throws {
        let failure = TransferFailure.refused(status: RefusedStatus(status))
        let clause = failure.clause(for: try Source("https://host.example/x"))
        #expect(clause == "the server answered \(status) (a redirect without a target)")
    }

    @Test("errors of other layers are passed unchanged")
    func passed() throws {
        let source = try Source("https://host.example/x")
        let storage = StorageError(action: "write", path: "x.part", errno: .noSpace)
        #expect(TransferFailure.storage(storage).error(for: source, file: "x").code == .diskFull)
        let other = TransferFailure.other(DownloadError(.locked, "It is locked."))
        #expect(other.error(for: source, file: "x").message == "It is locked.")
    }
}
