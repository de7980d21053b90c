#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The parts of the message that an alert shows.
extension DownloadError: LocalizedError {
    /// The first part of the message: the failure and the file. `localizedDescription` shows it.
    public var errorDescription: String? { parts.failure }

    /// A short sentence about the kind of failure, without names and paths, but with the server's reason for
    /// a refusal. `nil` for a code that this version does not know.
    public var failureReason: String? {
        guard let sentence = code.sentence else { return nil }
        guard let reason else { return sentence }
        let isSentence = reason.last.map { ".!?".contains($0) } ?? false
        return "\(sentence) The server responded: \"\(reason)\"\(isSentence ? "" : ".")"
    }

    /// The last part of the message: a remedy, as a sentence. If the message has none, that of the kind of
    /// failure; `nil` if that has none either.
    public var recoverySuggestion: String? { parts.remedy ?? Self.suggestions[code] }

    /// The remedies of failures whose messages end with the names of files.
    private static let suggestions: [Code: String] = [
        .checksumMismatch: "Check the expected digest and the URL, or try again later."
    ]

    private var parts: (failure: String, remedy: String?) {
        // The suggestion of a closure's error need not begin with one of the verbs.
        if let suggestion, message.hasSuffix(" \(suggestion)") {
            return (String(message.dropLast(suggestion.count + 1)), suggestion)
        }
        // The remedy begins with the first clause that is an instruction.
        for index in message.indices where ";:.".contains(message[index]) {
            let rest = message[index...].dropFirst()
            let remedy = rest.dropFirst()
            guard rest.first == " ", Self.verbs.contains(remedy.prefix(while: \.isLetter).lowercased()) else {
                continue
            }
            return ("\(message[..<index]).", remedy.prefix(1).uppercased() + remedy.dropFirst())
        }
        return (message, nil)
    }

    /// The verbs with which remedies begin.
    private static let verbs: Set<String> = [
        "add", "allow", "append", "ask", "check", "choose", "close", "continue", "correct", "create",
        "download", "end", "export", "fetch", "finish", "free", "give", "install", "leave", "let",
        "list", "log", "look", "make", "mend", "mirror", "move", "name", "omit", "open", "put", "raise",
        "redirect", "remove", "rename", "replace", "request", "resume", "retry", "return", "run", "save",
        "say", "see", "send", "set", "specify", "start", "stop", "supply", "try", "use", "wait", "write",
    ]
}

extension DownloadError.Code {
    /// A short sentence about the code; `nil` for a code of a later version.
    fileprivate var sentence: String? { Self.sentences[self] }

    private static let sentences: [DownloadError.Code: String] = [
        .cannotResolve: "The host was not found.",
        .connectionFailed: "The connection failed.",
        .tlsFailed: "The connection is not secure.",
        .timedOut: "The server did not respond in time.",
        .badResponse: "The server's response is invalid.",
        .badRedirect: "The server redirects to an unusable URL.",
        .httpStatus: "The server refuses to send the file.",
        .remoteFileChanged: "The file on the server has changed.",
        .checksumMismatch: "The file has the wrong content.",
        .lengthMismatch: "The file has the wrong length.",
        .wrongRange: "The server sends the wrong part of the file.",
        .encodedContent: "The server sends the file in an encoded form.",
        .unexpectedType: "The server sends another type of file.",
        .unproven: "The file cannot be verified.",
        .diskFull: "The disk is full.",
        .permissionDenied: "The destination cannot be written.",
        .badPath: "The path cannot be used.",
        .fileExists: "A file with this name exists.",
        .ioFailed: "The disk cannot be used.",
        .badStore: "The queue cannot be read.",
        .locked: "The file is in use.",
        .completionFailed: "A step after the download failed.",
        .closureFailed: "A step of the program failed.",
        .invalidURL: "The URL is invalid.",
        .invalidSetting: "A setting is invalid.",
        .duplicate: "The queue already has this download.",
        .notFound: "The download is not in the queue.",
        .shutDown: "The downloader was shut down.",
        .waitsForItself: "The program is waiting for itself.",
        .cancelled: "The download was cancelled.",
    ]
}
