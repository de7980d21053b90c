#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The keys that a command prints (`credential_process`).
private struct ProcessOutput: Decodable {
    var version: Int
    var accessKeyId: String
    var secretAccessKey: String
    var sessionToken: String?
    var expiration: String?

    enum CodingKeys: String, CodingKey {
        case version = "Version"
        case accessKeyId = "AccessKeyId"
        case secretAccessKey = "SecretAccessKey"
        case sessionToken = "SessionToken"
        case expiration = "Expiration"
    }
}

extension AWSKeys {
    /// Reads the keys that a command has printed as JSON.
    ///
    /// - Returns: `nil` if the text is not of version 1 of that form.
    package init?(processOutput bytes: [UInt8]) {
        guard let output = try? JSONDecoder().decode(ProcessOutput.self, from: Data(bytes)),
            output.version == 1
        else { return nil }
        self.init(
            accessKeyID: output.accessKeyId, secretAccessKey: output.secretAccessKey,
            sessionToken: output.sessionToken)
        if let text = output.expiration {
            guard let seconds = Self.seconds(text) else { return nil }
            expiration = seconds
        }
    }

    /// Reads a date as in `2026-11-27T16:00:00Z`, with or without a fraction of a second.
    private static func seconds(_ text: String) -> Int64? {
        var whole = text
        if let point = text.firstIndex(of: ".") {
            whole = String(
                text[..<point] + text[text.index(after: point)...].drop { $0.isASCII && $0.isNumber })
        }
        return (try? Date(whole, strategy: .iso8601)).map { Int64($0.timeIntervalSince1970) }
    }
}
