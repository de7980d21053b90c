/// The seam between the transfer logic and the network: one HTTP request at a time, no policy.
///
/// `CurlEngine` is the real one; tests use one in memory.
protocol TransferEngine: Sendable {
    /// Sends a request and returns as soon as the response's head is there. The body is held back until
    /// `OpenTransfer.receive(into:)`, so whether it is wanted can be decided at leisure. A short one may come
    /// along with the head, see `TransferRequest.prefetch`.
    ///
    /// - Throws: `EngineError`, or `CancellationError` when the task is cancelled.
    func open(_ request: TransferRequest) async throws -> any OpenTransfer

    /// Asks a host about copies, over one connection that is closed at the end.
    ///
    /// - Parameter seconds: After so many no more is sent.
    /// - Throws: `CancellationError` if nothing was sent when the task was cancelled, or the engine had
    ///   stopped.
    func ask(_ batch: ConditionalRequests, for seconds: Double) async throws -> ConditionalAnswers

    /// Returns when the connections of all transfers that were given up before are closed.
    func drain() async
}

/// A response whose head has arrived and whose body is held back.
///
/// Letting go of it without a call of `receive(into:)` abandons the transfer.
protocol OpenTransfer: Sendable {
    var head: ResponseHead { get }

    /// All of the body, if it came along with the head: the transfer is over then.
    var body: [UInt8]? { get }

    /// Lets the body flow into `sink`, and returns when it has ended: by itself, because the sink had
    /// enough, or because it failed. Call it once.
    func receive(into sink: any BodySink) async -> TransferReport

    /// Offers bytes again that the sink had answered with `.hold`.
    func resume()

    /// Gives the transfer up, which closes its connection.
    func abandon()
}

/// What takes the bytes of a body. Called by one engine thread at a time; it must not block but for the
/// write to disk itself.
protocol BodySink: AnyObject, Sendable {
    /// Takes all of `bytes`, or none of them when it answers `.hold`. What comes along with a head is offered
    /// once.
    func receive(_ bytes: UnsafeRawBufferPointer) -> SinkAnswer

    /// Called about twenty times a second, so that bytes of a slow connection do not linger in memory.
    ///
    /// - Returns: Whether the transfer is to go on. `.hold` goes on too.
    func tick() -> SinkAnswer

    /// Called once after the last byte.
    func finish()
}

/// What a sink says to the bytes it was given.
enum SinkAnswer {
    /// Taken; go on.
    case more
    /// Not taken: stop reading until `OpenTransfer.resume()` is called, then offer the same bytes again.
    case hold
    /// Taken as far as wanted: end the transfer.
    case enough
}

/// One HTTP request.
struct TransferRequest: Sendable {
    /// Which bytes to ask for.
    enum Range: Sendable, Equatable {
        /// No `Range` header.
        case none
        /// From an offset to the end.
        case from(Int64)
        /// Exactly these, not empty.
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

    var url: String
    /// Whose cap its connection counts for.
    var host = ""
    var range: Range
    var headers: [HTTPHeader] = []
    var credentials: Credentials?
    /// Token buckets that all must let a byte pass.
    var limiters: [RateLimiter] = []
    var counters: TransferCounters?
    /// The longest body, in bytes, that is received along with the head, if it comes at once.
    var prefetch = 0
    /// For how many seconds such a body may make its head wait.
    var patience = 0.05
}

/// What there is of a response when it is handed over.
struct OpenedResponse: Sendable {
    var head: ResponseHead
    /// All of the body, if it came along.
    var body: [UInt8]?
}

/// How a transfer ended.
struct TransferReport: Sendable {
    /// `nil` if the body ended where its framing says, or the sink had enough.
    var error: EngineError?
    /// Whether the sink ended it.
    var wasCut = false
    /// Whether the task was cancelled.
    var wasCancelled = false
}

/// What went wrong below HTTP.
struct EngineError: Error, Sendable {
    enum Kind: Sendable {
        case resolve, connect, tls, timeout, lost, truncated, badResponse, setting, other
    }

    var kind: Kind
    /// A clause without a full stop, as libcurl words it.
    var message: String
}
