internal import SegmentedDL
import SegmentedDLSupport

/// An engine whose requests are served by an in-memory server.
struct FaultEngine: TransferEngine {
    private let server: FaultServer

    init(_ server: FaultServer) {
        self.server = server
    }

    func open(_ request: TransferRequest) async throws -> any OpenTransfer {
        try Task.checkCancellation()
        let arrived = FaultServer.Request(request)
        let (file, fault) = server.take(arrived)
        return FaultTransfer(try FaultAnswer(arrived, file, fault), prefetch: request.prefetch)
    }

    /// Unsupported: ordinary requests are used instead.
    func ask(_ batch: ConditionalRequests, for seconds: Double) async throws -> ConditionalAnswers {
        ConditionalAnswers(answers: batch.requests.map { _ in .none }, wasUseless: true)
    }

    func drain() async {}
}

extension FaultServer.Request {
    fileprivate init(_ request: TransferRequest) {
        let (start, end): (Int64?, Int64?) =
            switch request.range {
            case .none: (nil, nil)
            case .from(let offset): (offset, nil)
            case .exactly(let range): (range.lowerBound, range.upperBound)
            }
        self.init(url: request.url, start: start, end: end, headers: request.headers)
    }
}

/// The transfer of a response body.
private final class FaultTransfer: OpenTransfer {
    private static let pieceSize = 16 * 1024
    /// The number of pieces per second of a slow body.
    private static let piecesPerSecond = 20

    let head: ResponseHead
    let body: [UInt8]?
    let isShared: Bool? = nil
    private let answer: FaultAnswer
    private let flags = Lock((isAbandoned: false, isResumed: false))

    init(_ answer: FaultAnswer, prefetch: Int) {
        head = ResponseHead(status: answer.status, fields: answer.fields)
        let comesAtOnce = answer.end == .complete && answer.rate == nil
        body = comesAtOnce && prefetch > 0 && answer.body.count <= prefetch ? answer.body : nil
        self.answer = answer
    }

    func receive(into sink: any BodySink) async -> TransferReport {
        defer { sink.finish() }
        var rest = answer.body[...]
        while !rest.isEmpty {
            if isStopped { return TransferReport(wasCancelled: true) }
            await pause()
            let piece = rest.prefix(answer.rate.map { max(1, $0 / Self.piecesPerSecond) } ?? Self.pieceSize)
            flags.withLock { $0.isResumed = false }
            switch piece.withUnsafeBytes(sink.receive) {
            case .more: rest = rest.dropFirst(piece.count)
            case .hold: await wait { flags.withLock { $0.isResumed } }
            case .enough: return TransferReport(wasCut: true)
            }
        }
        if answer.end == .stalled {
            var hasEnough = false
            await wait {
                if case .enough = sink.tick() { hasEnough = true }
                return hasEnough
            }
            return hasEnough ? TransferReport(wasCut: true) : TransferReport(wasCancelled: true)
        }
        switch answer.end {
        case .lost:
            return TransferReport(error: EngineError(kind: .lost, message: "the connection was lost"))
        case .short:
            return TransferReport(error: EngineError(kind: .truncated, message: "the body is too short"))
        case .full: return TransferReport(diskIsFull: true)
        case .complete, .stalled: return TransferReport()
        }
    }

    /// Lets other tasks run before the next piece, as on a real network.
    private func pause() async {
        guard let rate = answer.rate else { return await Task.yield() }
        let pieces = min(rate, Self.piecesPerSecond)
        try? await Task.sleep(for: .seconds(1) / pieces)
    }

    private var isStopped: Bool { Task.isCancelled || flags.withLock { $0.isAbandoned } }

    /// Waits until a condition is met, or the transfer is stopped.
    private func wait(until isMet: () -> Bool) async {
        while !isStopped, !isMet() { try? await Task.sleep(for: .milliseconds(1)) }
    }

    func resume() {
        flags.withLock { $0.isResumed = true }
    }

    func abandon() {
        flags.withLock { $0.isAbandoned = true }
    }
}
