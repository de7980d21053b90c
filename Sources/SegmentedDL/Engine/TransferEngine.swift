/// The seam between the transfer logic and the network: one HTTP request at a time, no policy.
///
/// `CurlEngine` is the real one; tests use one in memory.
package protocol TransferEngine: Sendable {
    /// Sends a request, and returns as soon as the response's head is complete. The body is held back until
    /// `OpenTransfer.receive(into:)`, so that the caller can decide first if it wants the body. A short one
    /// may come along with the head, see `TransferRequest.prefetch`.
    ///
    /// - Throws: `EngineError`, or `CancellationError` when the task is cancelled.
    func open(_ request: TransferRequest) async throws -> any OpenTransfer

    /// Asks a host about known copies, over one connection that is closed at the end.
    ///
    /// - Parameter seconds: The time after which no more requests are sent.
    /// - Throws: `CancellationError` if nothing was sent when the task was cancelled, or the engine had
    ///   stopped.
    func ask(_ batch: ConditionalRequests, for seconds: Double) async throws -> ConditionalAnswers

    /// Returns when the connections of all transfers that were abandoned before are closed.
    func drain() async
}

/// A response whose head is complete and whose body is held back.
///
/// Releasing it without a call of `receive(into:)` abandons the transfer.
package protocol OpenTransfer: Sendable {
    var head: ResponseHead { get }

    /// The beginning of a refusal's body, as far as it came along with the head.
    var refusalText: [UInt8] { get }

    /// True if the connection takes other requests at the same time, false if not; `nil` if an older
    /// connection was used, which tells nothing about the server.
    var isShared: Bool? { get }

    /// The whole body, if it came along with the head: the transfer is over then.
    var body: [UInt8]? { get }

    /// The distance of the server, or of a proxy; `nil` if it is not known.
    var distance: ServerDistance? { get }

    /// Lets the body flow into `sink`, and returns when the transfer has ended: with the body, because the
    /// sink had enough, or because of a failure. Call it once.
    func receive(into sink: any BodySink) async -> TransferReport

    /// Offers the bytes again that the sink has refused with `.hold`.
    func resume()

    /// Abandons the transfer, which closes its connection.
    func abandon()
}

extension OpenTransfer {
    package var refusalText: [UInt8] { body ?? [] }
    package var distance: ServerDistance? { nil }
}

/// The receiver of a body's bytes. One thread at a time calls it: the engine's, or a disk thread for a body
/// that came along with its head. It must not block except for the write to disk itself.
package protocol BodySink: AnyObject, Sendable {
    /// Takes all of `bytes`, or none of them when it answers `.hold`. The bytes that came along with a head
    /// are offered once.
    func receive(_ bytes: UnsafeRawBufferPointer) -> SinkAnswer

    /// Called about twenty times a second, so that bytes of a slow connection do not linger in memory.
    ///
    /// - Returns: `.enough` to end the transfer. `.hold` does not end it.
    func tick() -> SinkAnswer

    /// Called once after the last byte.
    func finish()

    /// The bytes that it still accepts of a body that is longer; `nil` if it accepts the whole body.
    var rest: Int64? { get }
}

extension BodySink {
    package var rest: Int64? { nil }
}

/// A sink's answer to the bytes it was given.
package enum SinkAnswer {
    /// Taken; continue.
    case more
    /// Not taken: stop reading until `OpenTransfer.resume()` is called, then offer the same bytes again.
    case hold
    /// Taken as far as the sink wants them: end the transfer.
    case enough
}

/// A number that no other request of an engine has.
typealias TransferID = Int

/// One HTTP request.
package struct TransferRequest: Sendable {
    /// The bytes to request.
    package enum Range: Sendable, Equatable {
        /// No `Range` header.
        case none
        /// From an offset to the end.
        case from(Int64)
        /// Exactly this range, which is not empty.
        case exactly(ByteRange)

        /// The value of the `Range` header after `bytes=` (RFC 9110, section 14.2).
        var headerValue: String? {
            switch self {
            case .none: nil
            case .from(let offset): "\(offset)-"
            case .exactly(let range): "\(range.lowerBound)-\(range.upperBound - 1)"
            }
        }
    }

    /// The caller that wants to know of a silence.
    struct SilenceListener: Sendable {
        let watch: SilenceWatch
        /// The server's port.
        let port: Int
        /// Called on the engine's thread.
        let tell: @Sendable (SilenceWatch.Silence) -> Void
    }

    package var url: String
    /// The host whose cap its connection counts for.
    var host = ""
    /// True if the request may be one of several over one connection, where the server offers HTTP/2.
    var offersHTTP2 = false
    /// The place of the file, if the request may be sent ahead of the answers to others over one connection.
    var pipelined: PipelinedPlace?
    /// True if later requests to the host may share a connection: idle connections are closed for it by the
    /// thread that has them.
    var precedesSharing = false
    package var range: Range
    package var headers: [HTTPHeader] = []
    /// True if the server is offered all codings that the engine knows, and the body is delivered decoded.
    var decodes = false
    /// True if the host's name is resolved again: its address may have changed.
    var resolvesAnew = false
    var credentials: Credentials?
    /// The body to send; `nil` for a GET.
    var body: RequestBody?
    /// The rate limits that each byte must pass.
    var limiters: [RateLimiter] = []
    var counters: TransferCounters?
    var silence: SilenceListener?
    /// The longest body, in bytes, that is delivered along with the head, if it comes at once.
    package var prefetch = 0
    /// The longest time, in seconds, for which the head is held back for such a body.
    var prefetchSeconds = 0.05
}

/// The part of a response that its caller gets at first.
struct OpenedResponse: Sendable {
    var head: ResponseHead
    /// As `OpenTransfer.isShared`.
    var isShared: Bool?
    /// True if a connection was opened for the request.
    var isFirst: Bool
    /// The whole body, if it came along.
    var body: [UInt8]?
    /// As `OpenTransfer.refusalText`.
    var refusalText: [UInt8] = []
    /// As `OpenTransfer.distance`.
    var distance: ServerDistance?
}

/// The end of a transfer.
package struct TransferReport: Sendable {
    /// The failure; `nil` if the body ended where its framing says, or the sink had enough.
    var error: EngineError?
    /// True if the sink ended it.
    var wasCut = false
    /// True if the task was cancelled or the engine stopped.
    var wasCancelled = false

    package init(error: EngineError? = nil, wasCut: Bool = false, wasCancelled: Bool = false) {
        self.error = error
        self.wasCut = wasCut
        self.wasCancelled = wasCancelled
    }
}

/// A failure below HTTP.
package struct EngineError: Error, Sendable {
    package enum Kind: Equatable, Sendable {
        case resolve, connect, tls, timeout, lost, truncated, badResponse, setting, other
        /// The host has no program that takes connections to this port.
        case refused
        /// The proxy opens no tunnel to the host.
        case proxyRefused(status: Int)
    }

    package var kind: Kind
    /// A clause without a full stop, as libcurl words it.
    package var message: String
    /// The system's word for a connection that failed.
    package var reason: String?
    /// The proxy that could not be reached; `nil` if it was the server, or nothing tells.
    package var proxy: String?
    /// The server that the request was sent to; `nil` if that is the source's.
    package var server: Origin?
    /// The advice, as a clause; `nil` for that of its kind.
    package var advice: String?
    /// The setting that helps.
    package var remedy: DownloadError.Remedy?
    /// True if no request of this program has had an answer from the host, nor was redirected to it.
    package var isBeforeAnyAnswer = false
    /// The seconds for which no connection could be made to a host that has answered before; `nil` for other
    /// failures.
    package var outageSeconds: Double?
    /// True if another download has failed because no connection to the host could be made, a moment ago.
    package var isOfHostGivenUp = false
    /// The retries after which the failure, which is of what the server sends, counts as one that stays;
    /// `nil` for those that the policy allows.
    package var mostRetries: Int?
    /// The option that sets the limit of this program that was reached; `nil` if there was none.
    package var option: String?

    /// True if all bytes may have come, and nothing says so.
    package var isOfUnprovenEnd = false
    /// True if the other side ended the connection, and not a stream of it alone.
    package var endsConnection = false
    /// True if the host ended the only connection to it before any answer, as a proxy or a tunnel does while
    /// the server behind it restarts.
    package var isOfNoAnswer = false

    /// True if no connection could be made. A timeout with an option is one of a connection that was made.
    var isOfConnecting: Bool {
        [.resolve, .refused, .connect].contains(kind) || kind == .timeout && option == nil || isOfNoAnswer
    }

    package init(kind: Kind, message: String, proxy: String? = nil, isBeforeAnyAnswer: Bool = false) {
        self.kind = kind
        self.message = message
        self.proxy = proxy
        self.isBeforeAnyAnswer = isBeforeAnyAnswer
    }
}
