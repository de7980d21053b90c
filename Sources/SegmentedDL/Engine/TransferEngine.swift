/// Abstracts the network for the transfer logic: one HTTP request at a time, without policy.
///
/// `CurlEngine` is the real implementation. Tests use an in-memory one.
package protocol TransferEngine: Sendable {
    /// Sends a request, and returns as soon as the response's head is complete. The body is held back until
    /// `OpenTransfer.receive(into:)`, so that the caller can first decide whether to receive it. A short body
    /// may be delivered with the head, see `TransferRequest.prefetch`.
    ///
    /// - Throws: `EngineError`, or `CancellationError` if the task is cancelled.
    func open(_ request: TransferRequest) async throws -> any OpenTransfer

    /// Opens a connection for a later request to the same host.
    ///
    /// - Parameter ended: Called once, when it is open, or could not be opened. It must not block.
    /// - Returns: A closure that gives up the connection, unless it is already open.
    func connect(_ request: TransferRequest, ended: @escaping @Sendable () -> Void) -> @Sendable () -> Void

    /// Sends a host conditional requests for existing copies, over one connection that is closed at the end.
    ///
    /// - Parameter seconds: The duration after which no more requests are sent.
    /// - Throws: `CancellationError` if nothing had been sent when the task was cancelled, or if the engine
    ///   has stopped.
    func ask(_ batch: ConditionalRequests, for seconds: Double) async throws -> ConditionalAnswers

    /// Returns when the connections of all transfers abandoned so far are closed.
    func drain() async
}

extension TransferEngine {
    package func connect(
        _: TransferRequest, ended: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void {
        ended()
        return {}
    }
}

/// A response whose head is complete and whose body is held back.
///
/// Releasing it without a call to `receive(into:)` abandons the transfer.
package protocol OpenTransfer: Sendable {
    var head: ResponseHead { get }

    /// The beginning of a refusal's body, if it arrived with the head.
    var refusalText: [UInt8] { get }

    /// True if the connection accepts simultaneous requests, false if it does not; `nil` if an existing
    /// connection was used, which shows nothing about the server.
    var isShared: Bool? { get }

    /// True if a connection was opened for the request.
    var isFirst: Bool { get }

    /// The whole body, if it arrived with the head. The transfer has then ended.
    var body: [UInt8]? { get }

    /// The distance of the server or proxy; `nil` if unknown.
    var distance: ServerDistance? { get }

    /// Delivers the body to `sink`, and returns when the transfer has ended: at the end of the body, when the
    /// sink has enough bytes, or with a failure. Call it once.
    func receive(into sink: any BodySink) async -> TransferReport

    /// Offers the sink the bytes again that it has refused with `.hold`.
    func resume()

    /// Abandons the transfer, which closes its connection.
    func abandon()
}

extension OpenTransfer {
    package var refusalText: [UInt8] { body ?? [] }
    package var distance: ServerDistance? { nil }
    package var isFirst: Bool { true }
}

/// Receives the bytes of a body. It is called by one thread at a time: the engine's, or a disk thread if the
/// body was delivered with its head. It must not block except for the write to disk itself.
package protocol BodySink: AnyObject, Sendable {
    /// Accepts all of `bytes`, or none of them if it returns `.hold`. Bytes that were delivered with a head
    /// are offered once.
    func receive(_ bytes: UnsafeRawBufferPointer) -> SinkAnswer

    /// Called about twenty times a second, so that bytes from a slow connection do not remain in memory.
    ///
    /// - Returns: `.enough` to end the transfer. `.hold` does not end it.
    func tick() -> SinkAnswer

    /// Called once after the last byte.
    func finish()

    /// The number of bytes of a longer body that the sink still accepts; `nil` if it accepts the whole body.
    var rest: Int64? { get }
}

extension BodySink {
    package var rest: Int64? { nil }
}

/// A sink's response to the bytes offered to it.
package enum SinkAnswer {
    /// Accepted; continue.
    case more
    /// Not accepted: stop reading until `OpenTransfer.resume()` is called, then offer the same bytes again.
    case hold
    /// Accepted as far as needed: end the transfer.
    case enough
}

/// A number that is unique among an engine's requests.
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

        /// True if the range begins after the first byte.
        var isLater: Bool {
            switch self {
            case .none: false
            case .from(let offset): offset > 0
            case .exactly(let range): range.lowerBound > 0
            }
        }

        /// The value of the `Range` header after `bytes=` (RFC 9110, section 14.2).
        var headerValue: String? {
            switch self {
            case .none: nil
            case .from(let offset): "\(offset)-"
            case .exactly(let range): "\(range.lowerBound)-\(range.upperBound - 1)"
            }
        }
    }

    /// The caller to notify of a silence.
    struct SilenceListener: Sendable {
        let watch: SilenceWatch
        /// The server's port.
        let port: Int
        /// Called on the engine's thread.
        let tell: @Sendable (SilenceWatch.Silence) -> Void
    }

    package var url: String
    /// The host whose cap includes the connection.
    var host = ""
    /// True if the request may share a connection with others, provided that the server offers HTTP/2.
    var offersHTTP2 = false
    /// The number of connections that requests to the host may share.
    var sharedConnections = 1
    /// The location of the file, if the request may be pipelined.
    var pipelined: PipelinedPlace?
    /// True if later requests to the host may share a connection. Threads with idle connections then close
    /// them to make room for it.
    var precedesSharing = false
    package var range: Range
    package var headers: [HTTPHeader] = []
    /// True to offer the server all codings that the engine supports, and to deliver the body decoded.
    var decodes = false
    /// True to close the connection after the response, even if the server keeps it open.
    var closesConnection = false
    /// True to open a connection, although an idle one may be usable.
    var opensConnection = false
    /// True to open a connection without sending the request.
    var connectsOnly = false
    /// Called on the engine's thread when a connection for the request has been opened, with its round-trip
    /// time in seconds.
    var onConnect: (@Sendable (Double) -> Void)?
    /// True to resolve the host's name again, because its address may have changed.
    var resolvesAnew = false
    var credentials: Credentials?
    /// True to send the user name and password by digest authentication, whatever the transport's scheme.
    var usesDigest = false
    /// The body to send; `nil` for a GET.
    var body: RequestBody?
    /// The rate limits that apply to each byte.
    var limiters: [RateLimiter] = []
    var counters: TransferCounters?
    var silence: SilenceListener?
    /// The maximum size of a body, in bytes, that is delivered with the head if it arrives immediately.
    package var prefetch = 0
    /// The maximum time, in seconds, for which the head is held back for such a body.
    var prefetchSeconds = 0.05
}

/// The part of a response that the caller receives first.
struct OpenedResponse: Sendable {
    var head: ResponseHead
    /// The same as `OpenTransfer.isShared`.
    var isShared: Bool?
    /// True if a connection was opened for the request.
    var isFirst: Bool
    /// The whole body, if it arrived with the head.
    var body: [UInt8]?
    /// The same as `OpenTransfer.refusalText`.
    var refusalText: [UInt8] = []
    /// The same as `OpenTransfer.distance`.
    var distance: ServerDistance?
}

/// The result of a transfer.
package struct TransferReport: Sendable {
    /// The failure; `nil` if the body ended where its framing says, or the sink had enough.
    var error: EngineError?
    /// True if the sink ended the transfer.
    var wasCut = false
    /// True if the task was cancelled or the engine stopped.
    var wasCancelled = false

    /// True if the disk has no room for the next byte, as simulated by an engine for tests.
    var diskIsFull = false

    package init(
        error: EngineError? = nil, wasCut: Bool = false, wasCancelled: Bool = false, diskIsFull: Bool = false
    ) {
        self.error = error
        self.diskIsFull = diskIsFull
        self.wasCut = wasCut
        self.wasCancelled = wasCancelled
    }
}

/// A failure below HTTP.
package struct EngineError: Error, Sendable {
    package enum Kind: Equatable, Sendable {
        case resolve, connect, tls, timeout, lost, truncated, badResponse, setting, other
        /// No program on the host accepts connections on this port.
        case refused
        /// The proxy did not open a tunnel to the host.
        case proxyRefused(status: Int)
    }

    package var kind: Kind
    /// A clause without a full stop, in libcurl's words.
    package var message: String
    /// The system's message for a connection that failed.
    package var reason: String?
    /// The unreachable proxy; `nil` if the server was unreachable, or if this is unknown.
    package var proxy: String?
    /// True if a SOCKS proxy was reached, but made no connection to the server.
    package var isOfSOCKS = false
    /// The server to which the request was sent; `nil` if it is the source's.
    package var server: Origin?
    /// The advice, as a clause; `nil` for the default advice of the error's kind.
    package var advice: String?
    /// The setting that resolves the failure.
    package var remedy: DownloadError.Remedy?
    /// True if this program has received neither a response from the host nor a redirect to it.
    package var isBeforeAnyAnswer = false
    /// The number of seconds for which no connection could be made to a host that had responded before; `nil`
    /// for other failures.
    package var outageSeconds: Double?
    /// True if another download has just failed because no connection to the host could be made.
    package var isOfHostGivenUp = false
    /// The maximum number of retries before this failure, a fault in the server's response, counts as
    /// permanent; `nil` for the policy's maximum.
    package var mostRetries: Int?
    /// The number of retries that the failure counts as, because it took as long as that many others.
    package var retriesUsed = 1

    /// True if all bytes may have arrived, but nothing proves it.
    package var isOfUnprovenEnd = false
    /// True if the peer ended the connection, not just a stream of it.
    package var endsConnection = false
    /// True if the host closed the only connection to it before any response, as a proxy or tunnel does while
    /// the server behind it restarts.
    package var isOfNoAnswer = false

    /// True if no connection could be made. A timeout that has a remedy occurred after a connection was
    /// made.
    var isOfConnecting: Bool {
        [.resolve, .refused, .connect].contains(kind) || kind == .timeout && remedy == nil || isOfNoAnswer
    }

    package init(kind: Kind, message: String, proxy: String? = nil, isBeforeAnyAnswer: Bool = false) {
        self.kind = kind
        self.message = message
        self.proxy = proxy
        self.isBeforeAnyAnswer = isBeforeAnyAnswer
    }
}
