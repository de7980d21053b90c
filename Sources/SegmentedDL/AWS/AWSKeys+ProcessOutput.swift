#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The keys that a command (`credential_process`) prints, or a machine's service returns.
private struct PrintedKeys: Decodable {
    var version: Int?
    var accessKeyId: String
    var secretAccessKey: String
    /// The session token of a command.
    var sessionToken: String?
    /// The session token of a service.
    var token: String?
    var expiration: String?

    enum CodingKeys: String, CodingKey {
        case version = "Version"
        case accessKeyId = "AccessKeyId"
        case secretAccessKey = "SecretAccessKey"
        case sessionToken = "SessionToken"
        case token = "Token"
        case expiration = "Expiration"
    }
}

/// The answer of a machine's service under 200 that has no keys.
private struct ServiceRefusal: Decodable {
    var code: String
    var message: String?

    enum CodingKeys: String, CodingKey {
        case code = "Code"
        case message = "Message"
    }
}

extension AWSKeys {
    /// Returns the code and the text of a service's answer without keys; `nil` if it has none.
    static func refusal(serviceAnswer bytes: [UInt8]) -> String? {
        guard let answer = try? JSONDecoder().decode(ServiceRefusal.self, from: Data(bytes)) else {
            return nil
        }
        return Printable.text(
            ([answer.code] + [answer.message].compactMap(\.self)).joined(separator: ": "), longest: 200)
    }

    /// Reads the keys that the service of a container or a virtual machine returns as JSON.
    ///
    /// - Returns: `nil` if the format is different.
    init?(serviceAnswer bytes: [UInt8]) {
        guard let answer = try? JSONDecoder().decode(PrintedKeys.self, from: Data(bytes)) else {
            return nil
        }
        self.init(answer, sessionToken: answer.token)
    }

    /// Reads the keys of a role, which the security token service returns as XML. Their values contain no
    /// characters that XML escapes.
    ///
    /// - Returns: `nil` if the format is different.
    init?(roleAnswer bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        func value(_ name: String) -> String? {
            guard let start = text.firstRange(of: "<\(name)>")?.upperBound,
                let end = text[start...].firstRange(of: "</\(name)>")?.lowerBound
            else { return nil }
            return String(text[start..<end].filter { !$0.isWhitespace })
        }
        guard let identifier = value("AccessKeyId"), let secret = value("SecretAccessKey"),
            let expiration = value("Expiration").flatMap(Self.seconds)
        else { return nil }
        self.init(
            accessKeyID: identifier, secretAccessKey: secret, sessionToken: value("SessionToken"),
            expiration: expiration)
    }

    /// Reads the keys that a command printed as JSON.
    ///
    /// - Returns: `nil` if the text is not version 1 of that format.
    package init?(processOutput bytes: [UInt8]) {
        guard let output = try? JSONDecoder().decode(PrintedKeys.self, from: Data(bytes)),
            output.version == 1
        else { return nil }
        self.init(output, sessionToken: output.sessionToken)
    }

    private init?(_ printed: PrintedKeys, sessionToken: String?) {
        self.init(
            accessKeyID: printed.accessKeyId, secretAccessKey: printed.secretAccessKey,
            sessionToken: sessionToken)
        guard let text = printed.expiration else { return }
        guard let seconds = Self.seconds(text) else { return nil }
        expiration = seconds
    }

    /// Parses a date such as `2026-11-27T16:00:00Z`, with or without a fraction of a second.
    private static func seconds(_ text: String) -> Int64? {
        var whole = text
        if let point = text.firstIndex(of: ".") {
            whole = String(
                text[..<point] + text[text.index(after: point)...].drop { $0.isASCII && $0.isNumber })
        }
        return (try? Date(whole, strategy: .iso8601)).map { Int64($0.timeIntervalSince1970) }
    }
}
