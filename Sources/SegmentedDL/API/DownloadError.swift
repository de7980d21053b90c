/// The failure of a download or another call.
///
/// New codes can be added: switch over them with a `default`.
public struct DownloadError: Error, Sendable, CustomStringConvertible {
    /// A number for the kind of failure, stable across releases.
    public struct Code: RawRepresentable, Sendable, Hashable, Codable {
        /// The number. Codes of the same category share the hundreds digit.
        public let rawValue: Int

        /// Creates a code from its number.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The host name could not be resolved.
        public static let cannotResolve = Code(rawValue: 201)
        /// The connection to the host or proxy failed, or was lost.
        public static let connectionFailed = Code(rawValue: 202)
        /// TLS failed: certificate not trusted, expired, for another host, or no common protocol.
        public static let tlsFailed = Code(rawValue: 203)
        /// The server did not answer, or sent nothing within the timeout.
        public static let timedOut = Code(rawValue: 204)
        /// The server violated the protocol.
        public static let badResponse = Code(rawValue: 205)
        /// Too many redirects, a loop of redirects, or a redirect to a scheme other than http and https.
        public static let badRedirect = Code(rawValue: 206)
        /// The server answered with a status that is not a success.
        public static let httpStatus = Code(rawValue: 301)
        /// The remote file changed during the download, more than once.
        public static let remoteFileChanged = Code(rawValue: 401)
        /// The checksum of the received file is not the expected one.
        public static let checksumMismatch = Code(rawValue: 402)
        /// The response is shorter or longer than the file's stated length.
        public static let lengthMismatch = Code(rawValue: 403)
        /// The server repeatedly sent a byte range other than the requested one.
        public static let wrongRange = Code(rawValue: 404)
        /// The content is encoded (compressed) although the request allowed only `identity`.
        public static let encodedContent = Code(rawValue: 405)
        /// The server sends the file with a Content-Type that the request does not allow.
        public static let unexpectedType = Code(rawValue: 406)
        /// The request demands a proof (``DownloadRequest/proofPolicy``) that was not found.
        public static let unproven = Code(rawValue: 407)
        /// The disk, or the user's quota on it, is full.
        public static let diskFull = Code(rawValue: 501)
        /// The directory or file is not writable.
        public static let permissionDenied = Code(rawValue: 502)
        /// The path is unusable: a directory, a missing parent, or a name that is too long.
        public static let badPath = Code(rawValue: 503)
        /// A file with the final name exists.
        public static let fileExists = Code(rawValue: 504)
        /// Another error of the file system, or of the queue's database.
        public static let ioFailed = Code(rawValue: 505)
        /// The queue's database is damaged, or was written by a newer version.
        public static let badStore = Code(rawValue: 506)
        /// The download is complete, but its completion action failed.
        public static let completionFailed = Code(rawValue: 701)
        /// A closure of the caller threw ``DownloadError/cause``.
        public static let closureFailed = Code(rawValue: 702)
        /// Another process is writing this file, or has opened this queue.
        public static let locked = Code(rawValue: 601)
        /// The URL is malformed, its scheme is neither http nor https, or its target is unsuitable: it
        /// provides no file name, or is not a listing.
        public static let invalidURL = Code(rawValue: 6401)
        /// A setting is out of its range.
        public static let invalidSetting = Code(rawValue: 6402)
        /// The queue has a download with that key or URL and another destination, or one with that
        /// destination.
        public static let duplicate = Code(rawValue: 6403)
        /// The queue has no download with that number, key, URL or position.
        public static let notFound = Code(rawValue: 6404)
        /// The downloader or the manager was shut down.
        public static let shutDown = Code(rawValue: 6405)
        /// A manager's closure makes a call that waits for the closure itself, such as for the end of its
        /// download.
        public static let waitsForItself = Code(rawValue: 6406)
        /// The download was cancelled, but not through the awaiting task; a cancelled task throws
        /// `CancellationError`.
        public static let cancelled = Code(rawValue: 13_001)
    }

    /// The kind of failure.
    public var code: Code

    /// A sentence for users: the failure, the file, and a remedy.
    public var message: String

    /// The URL of the failed request, without credentials and query; `nil` if no request failed.
    public var url: String?

    /// The HTTP status, if the code is `httpStatus`.
    public var status: Int?

    /// The server's response, if the code is `httpStatus`: status, header fields, and the final URL.
    public var response: ResponseInfo?

    /// The server's reason for its refusal, if the response gives more than the status: a line of at most 200
    /// characters without control characters, from the beginning of the response body.
    public var reason: String?

    /// True if the same request may succeed later unchanged.
    public var isRetryable: Bool

    /// The delay that the server requests before the next request (Retry-After); `nil` if it requests none.
    public var retryAfter: Duration?

    /// The underlying error; `nil` for none.
    public var cause: (any Error)?

    /// The setting that avoids the failure; the command prints the corresponding option.
    package var remedy: Remedy?

    /// The recovery suggestion of a closure's error, which ends the message; `nil` for none.
    package var suggestion: String?

    /// True if the server refuses this file while it serves others: `retryAfter` then is not a sign of load.
    package var isOfFile = false

    /// The existing file, with code `fileExists`.
    package var existing: String?

    /// Creates an error of a kind.
    public init(
        _ code: Code, _ message: String, url: String? = nil, status: Int? = nil, isRetryable: Bool = false,
        cause: (any Error)? = nil
    ) {
        remedy = nil
        existing = nil
        self.code = code
        self.message = message
        self.url = url
        self.status = status
        reason = nil
        self.isRetryable = isRetryable
        self.cause = cause
    }

    /// The exit status of a process that fails with this error (`docs/exit-status.md`): the code divided by
    /// 100.
    package var exitStatus: Int32 { Int32(code.rawValue / 100) }

    /// The message.
    public var description: String { message }
}

extension DownloadError {
    /// The settings that help to avoid a failure.
    package enum Remedy: Sendable, Hashable, CaseIterable {
        case existingFilePolicy
        /// Like `existingFilePolicy`, for a file that is complete, or cannot be resumed.
        case completeFilePolicy
        case replacement
        case fileName
        /// A file name for a web page, which may link to the wanted files.
        case fileNameOrTree
        case startOver
        case takeOver
        case ignoredServerDigest
        case ignoredProof
        /// The digest of the file, or no proof at all.
        case proof
        /// The key that signed the list of digests.
        case signature
        case encodedContent
        case undecodedContent
        case insecureRedirects
        case certificateAuthorities
        case clientCertificate
        case clientKey
        case passphrase
        case cookie
        case certificateFormat
        case keyFormat
        case addressFamily
        case interface
        case credentials
        /// A user name and a password for a hub or a registry.
        case login
        case connectTimeout
        case firstByteTimeout
        case lowSpeedTime
        case digest
        /// The digest of the file, which proves it.
        case checksum
        case digestCredentials
        case proxyDigest
        case token
        /// Another User-Agent, because some servers refuse those of programs.
        case userAgent
        case mirror
        case shard
        case shardCount
        case bucket
        case ownName
    }

    /// Returns this error with a remedy.
    package func remedied(by remedy: Remedy) -> DownloadError {
        var error = self
        error.remedy = remedy
        return error
    }

    static func shutDown() -> DownloadError {
        DownloadError(.shutDown, "The downloader was shut down; create a new one.")
    }

    package static func cancelled() -> DownloadError {
        DownloadError(.cancelled, "The download was cancelled.", isRetryable: true)
    }
}

/// Errors are equal if everything except their causes is equal.
extension DownloadError: Equatable {
    /// Compares all but the causes.
    public static func == (one: DownloadError, other: DownloadError) -> Bool {
        one.code == other.code && one.message == other.message && one.url == other.url
            && one.status == other.status && one.isRetryable == other.isRetryable
            && one.retryAfter == other.retryAfter
    }
}

/// Checks a condition on a setting.
///
/// - Throws: `DownloadError` with code `invalidSetting` and the message if the condition is false.
package func require(_ condition: Bool, _ message: @autoclosure () -> String) throws(DownloadError) {
    guard condition else { throw DownloadError(.invalidSetting, message()) }
}

extension DownloadError {
    /// Returns the error with a message that advises the user.
    ///
    /// - Parameters:
    ///   - advice: The text after the subject, with a full stop.
    ///   - server: The server, as the subject of a sentence that repeats its reason; `nil` for no such
    ///     sentence.
    package func advising(_ advice: String, about subject: String, by server: String?) -> DownloadError {
        var error = self
        error.message = "\(subject): \(advice)"
        if let server, let reason { error.message += " \(server) says '\(reason)'." }
        error.remedy = nil
        return error
    }
}
