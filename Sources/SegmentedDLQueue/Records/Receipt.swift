public import SegmentedDL
public import SystemPackage

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A snapshot of one download of a `DownloadManager`.
///
/// A value that can be stored, sent, compared and encoded. It contains no headers or credentials.
public struct Receipt: Sendable, Hashable, Codable, Identifiable {
    /// The number of a download in its queue. A number is never reused, even after the download was removed.
    public struct ID: RawRepresentable, Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
        /// The number, 1 or more.
        public let rawValue: Int64

        /// Creates an id from its number.
        public init(rawValue: Int64) {
            self.rawValue = rawValue
        }

        /// Returns true if the first download was added before the second.
        public static func < (left: ID, right: ID) -> Bool { left.rawValue < right.rawValue }

        /// The number.
        public var description: String { "\(rawValue)" }
    }

    /// The storable reason why a download failed.
    public struct Failure: Sendable, Hashable, Codable {
        /// The kind of failure.
        public var code: DownloadError.Code
        /// The message: the failure, the file, and a possible remedy.
        public var message: String
        /// The HTTP status, if it is the reason.
        public var status: Int?
        /// True if the same request may succeed later unchanged.
        public var isRetryable: Bool

        /// The recovery suggestion of a closure's error, which ends the message.
        private var suggestion: String?
        /// The delay that the server requested, in seconds.
        private var retryAfter: Double?

        /// The failure as an error.
        public var error: DownloadError {
            var error = DownloadError(code, message, status: status, isRetryable: isRetryable)
            error.suggestion = suggestion
            error.retryAfter = retryAfter.map { .bounded(seconds: $0) }
            return error
        }

        init(_ error: DownloadError) {
            code = error.code
            message = error.message.replacing("run it again", with: "retry it")
            status = error.status
            isRetryable = error.isRetryable
            suggestion = error.suggestion
            retryAfter = error.retryAfter?.seconds
        }
    }

    /// The download's number.
    public let id: ID
    /// The caller's name for the download; `nil` if it has none.
    public var key: String?
    /// The source of the file.
    public var source: Source
    private var furtherSources: [Source]?
    /// The destination, as requested.
    public var destination: DownloadRequest.Destination
    private var pathString: String?
    /// The state of the download.
    public var state: DownloadState
    /// The time of the next retry, in state `retrying`.
    public var retriesAt: Date?
    /// The reason why it has not begun, in state `queued`; `nil` if it only waits for a free slot.
    public var hold: Hold?
    /// The priority: downloads with a higher one begin first.
    public var priority: Int
    /// Bytes on disk.
    public var bytesCompleted: Int64
    /// The file's length in bytes; `nil` while unknown.
    public var bytesTotal: Int64?
    /// Bytes per second, averaged over the last few seconds; 0 unless the download is running.
    public var bytesPerSecond: Double
    /// The time remaining in seconds, as encoded.
    package var secondsRemaining: Double?
    /// The number of active connections.
    public var connections: Int
    /// The number of times that the download has begun.
    public var attempts: Int
    /// `duration` in seconds, as encoded.
    package var seconds: Double
    /// The last failure as stored; `nil` once it is complete. ``error`` returns it as an error.
    public var failure: Failure?
    /// The digests that the file must have.
    public var checksums: [Checksum]
    private var knownProofs: [DigestProof]?
    private var knownCost: TransferCost?
    /// Why the run that completed it fetched nothing. Not encoded.
    package private(set) var found: FoundFile?
    /// The bottleneck of the current or last run; `nil` if none was observed.
    public var bottleneck: Bottleneck?
    /// The server's response in the last run that received one, including a refusal: status, header fields,
    /// and final URL. It is stored without cookies, without the URL's signature, and without fields beyond
    /// the first 4 KiB.
    public var response: ResponseInfo?
    /// The completion action.
    public var onComplete: String?
    /// The time at which it was added.
    public var added: Date
    /// The time at which it first began.
    public var started: Date?
    /// The time at which it became complete, failed, or was cancelled.
    public var ended: Date?

    /// The time remaining at that speed; `nil` if the length or the speed is unknown.
    public var timeRemaining: Duration? { secondsRemaining.map { .bounded(seconds: $0) } }

    /// The active time over all attempts that have ended.
    public var duration: Duration { .bounded(seconds: seconds) }

    /// The file's path, once known; when the download is complete, the file is there. Before the download
    /// begins, this is the path of a `.file` destination, which the `rename` policy and
    /// ``ManagerConfiguration/chooseDestination`` may still change.
    public var path: FilePath? {
        claimedPath ?? destination.file
    }

    /// The path chosen by a run of the download.
    package var claimedPath: FilePath? { pathString.map { FilePath($0) } }

    /// Further sources of the same file, in order of preference.
    public var mirrors: [Source] {
        get { furtherSources ?? [] }
        // Receipts without mirrors are encoded as in earlier versions.
        set { furtherSources = newValue.isEmpty ? nil : newValue }
    }

    /// The verified digests of the complete file, and their origins.
    public var proofs: [DigestProof] { knownProofs ?? [] }

    /// The overhead of all runs.
    public var cost: TransferCost { knownCost ?? TransferCost() }

    /// The file's ``path`` as a URL, once known.
    public var fileURL: URL? { path.map { URL(filePath: $0.string) } }

    /// The last failure; `nil` once it is complete. An error with code `httpStatus` contains the server's
    /// response.
    public var error: DownloadError? {
        guard var error = failure?.error else { return nil }
        if error.code == .httpStatus { error.response = response }
        return error
    }

    /// The completed fraction, from 0 to 1; `nil` while the length is unknown.
    public var fraction: Double? { DownloadProgress.fraction(bytesCompleted, of: bytesTotal) }

    private enum CodingKeys: String, CodingKey {
        case id, key, source, destination
        case furtherSources = "mirrors"
        case pathString = "path"
        case state, retriesAt, hold, priority, bytesCompleted, bytesTotal, bytesPerSecond, secondsRemaining
        case connections, attempts, seconds
        case failure = "error"
        case checksums, onComplete, added, started, ended
        case knownProofs = "proofs"
        case knownCost = "cost"
        case bottleneck, response
    }

    init(_ record: QueueRecord, _ live: DownloadProgress? = nil) {
        id = record.id
        key = record.key
        source = record.source
        furtherSources = record.request.mirrors.isEmpty ? nil : record.request.mirrors
        destination = record.destination
        pathString = record.path?.string
        state = record.state
        retriesAt = record.retriesAt
        priority = record.request.priority
        // Until the server has responded, only the bytes left on disk by an earlier run are known.
        let isKnown = live.map { $0.bytesTotal != nil || $0.bytesCompleted > 0 } ?? false
        bytesCompleted = isKnown ? live?.bytesCompleted ?? 0 : record.bytesCompleted
        bytesTotal = isKnown ? live?.bytesTotal : record.bytesTotal
        bytesPerSecond = live?.bytesPerSecond ?? 0
        secondsRemaining = live?.secondsRemaining
        connections = live?.connections ?? 0
        attempts = record.attempts
        seconds = record.seconds
        failure = record.error
        checksums = record.request.checksums
        knownProofs = record.results.proofs.isEmpty ? nil : record.results.proofs
        let cost = record.results.cost + (live?.cost ?? TransferCost())
        knownCost = cost == TransferCost() ? nil : cost
        found = record.results.found
        bottleneck = live?.bottleneck ?? record.results.bottleneck
        response = record.results.response
        onComplete = record.onComplete
        added = record.added
        started = record.started
        ended = record.ended
    }
}
