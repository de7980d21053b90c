import Foundation
import SystemPackage
import Testing

@testable import SegmentedDL

@Suite("An error in the parts of an alert")
struct DownloadErrorPartsTests {
    struct Parts: CustomTestStringConvertible {
        let message: String
        let failure: String
        let remedy: String?
        var testDescription: String { message }
    }

    private static let table = [
        Parts(
            message: "'a b' is not a regular file; move it away or choose another name.",
            failure: "'a b' is not a regular file.", remedy: "Move it away or choose another name."),
        Parts(
            message: "http://h/a.b: the server answered 404 (Not Found): check the URL.",
            failure: "http://h/a.b: the server answered 404 (Not Found).", remedy: "Check the URL."),
        Parts(
            message: "'f' exists, but it is older. It is left unchanged; remove it, or replace it.",
            failure: "'f' exists, but it is older. It is left unchanged.", remedy: "Remove it, or replace it."
        ),
        Parts(
            message: "f: the server was silent; run it again; it will start over.",
            failure: "f: the server was silent.", remedy: "Run it again; it will start over."),
        Parts(
            message: "'f' has no end; it is not read.", failure: "'f' has no end; it is not read.",
            remedy: nil),
        Parts(message: "The download was cancelled.", failure: "The download was cancelled.", remedy: nil),
        Parts(message: "", failure: "", remedy: nil),
    ]

    @Test("the failure and the remedy are the two parts of the message", arguments: table)
    func split(_ parts: Parts) {
        let error = DownloadError(.badPath, parts.message)
        #expect(error.errorDescription == parts.failure)
        #expect(error.recoverySuggestion == parts.remedy)
        #expect((error as any Error).localizedDescription == parts.failure)
    }

    @Test("settings that cannot be used, and a wrong digest, have a remedy")
    func remedies() throws {
        var request = try DownloadRequest("http://host/f", to: .file(""))
        let name = #expect(throws: DownloadError.self) { try request.validate() }
        #expect(name?.recoverySuggestion == "Specify the path of the file itself.")
        request.destination = .directory(".")
        request.headers = [HTTPHeader("A", "b\nC: d")]
        let header = #expect(throws: DownloadError.self) { try request.validate() }
        #expect(header?.recoverySuggestion != nil)
        let mismatch = Expectations.Mismatch(description: "the received bytes differ")
        let digest = Expectations.error("f", mismatch, kept: "they are kept as 'f.rejected'")
        #expect(digest.errorDescription == digest.message)
        #expect(digest.recoverySuggestion?.hasPrefix("Check the expected digest") == true)
        let plain = EngineError(kind: .tls, message: "wrong version number")
        #expect(plain.tlsFault == .plainHTTP)
        let tls = TransferFailure.network(plain).error(for: request.source, file: "f")
        #expect(tls.recoverySuggestion == "Try http:// instead of https://.")
    }

    @Test("a link that names no host is refused because of its scheme", arguments: ["mailto:a@b", "data:,x"])
    func withoutHost(link: String) throws {
        let error = #expect(throws: DownloadError.self) { try Source(link) }
        let scheme = link.prefix { $0 != ":" }
        #expect(
            error?.message
                == "'\(scheme):…' has the scheme '\(scheme)', which is not supported; http and https are.")
    }

    @Test("a failed download has all three, and a refusal the server's reason")
    func transfer() throws {
        let source = try Source("http://host/f")
        let network = TransferFailure.network(EngineError(kind: .refused, message: "refused"))
        let error = network.error(for: source, file: "f")
        #expect(error.failureReason == "The connection failed.")
        #expect(error.recoverySuggestion != nil)
        #expect(error.message.hasPrefix(try #require(error.errorDescription).dropLast()))

        var refused = DownloadError(.httpStatus, "f: the server answered 403.", status: 403)
        #expect(refused.failureReason == "The server refuses to send the file.")
        refused.reason = "The bucket is private."
        #expect(
            refused.failureReason
                == "The server refuses to send the file. The server responded: \"The bucket is private.\"")
        refused.reason = "no"
        #expect(refused.failureReason == "The server refuses to send the file. The server responded: \"no\".")
        #expect(DownloadError(DownloadError.Code(rawValue: 999), "x").failureReason == nil)
    }
}
