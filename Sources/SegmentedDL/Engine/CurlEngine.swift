#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// libcurl's multi interface on threads of its own.
///
/// One thread moves what the network gives, unless it has to decrypt it too: TLS is spread over several.
final class CurlEngine: TransferEngine {
    /// More threads than this are not filled by a network.
    private static let mostLanes = 4

    private let lanes: [EngineLane]

    /// - Throws: `DownloadError` if libcurl or a thread cannot be started.
    init(transport: Transport, maxConnections: Int) throws(DownloadError) {
        // A jar of cookies is for one thread.
        let count = transport.cookieFile == nil ? max(1, min(Self.processors, Self.mostLanes)) : 1
        var lanes: [EngineLane] = []
        for _ in 0..<count {
            do {
                lanes.append(try EngineLane(transport: transport, maxConnections: maxConnections))
            } catch {
                // One is enough.
                guard !lanes.isEmpty else { throw error }
            }
        }
        self.lanes = lanes
    }

    deinit {
        // Nobody can wait in a deinit. After `shutdown()` the threads have already been joined.
        for lane in lanes { lane.abandon() }
    }

    private static var processors: Int { Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// Ends all transfers as cancelled and returns when the threads are gone. Further calls return at once.
    func shutdown() async {
        for lane in lanes { await lane.shutdown() }
    }

    func settle() async {
        for lane in lanes {
            await withCheckedContinuation { continuation in
                if !lane.mailbox.post(.settle(continuation)) { continuation.resume() }
            }
        }
    }

    /// The lane for a request. Of several the one with the fewest transfers: who has just ended one, and has a
    /// connection to go on with, has a place there.
    private func lane(for request: TransferRequest) -> EngineLane {
        guard request.url.hasPrefix("https:") else { return lanes[0] }
        return lanes.min { $0.mailbox.transfers < $1.mailbox.transfers } ?? lanes[0]
    }

    func open(_ request: TransferRequest) async throws -> any OpenTransfer {
        let mailbox = lane(for: request).mailbox
        let (id, opened) = try await answer(from: mailbox) { .open($0, request, $1) }
        return CurlOpenTransfer(id: id, opened: opened, mailbox: mailbox)
    }

    func open(_ requests: [TransferRequest], for seconds: Double) async -> SeriesAnswer {
        guard let first = requests.first else { return SeriesAnswer(unchanged: 0) }
        let mailbox = lane(for: first).mailbox
        let id: TransferID
        let opened: OpenedSeries
        do {
            (id, opened) = try await answer(from: mailbox) {
                .openSeries($0, requests, seconds: seconds, $1)
            }
        } catch {
            return SeriesAnswer(unchanged: 0, next: .failure(error))
        }
        return SeriesAnswer(
            unchanged: opened.unchanged,
            next: opened.next?.map { CurlOpenTransfer(id: id, opened: $0, mailbox: mailbox) },
            secondsOfNext: opened.secondsOfNext)
    }

    private func answer<Answer: Sendable>(
        from mailbox: Mailbox,
        to command: @Sendable (TransferID, CheckedContinuation<Answer, any Error>) -> EngineCommand
    ) async throws -> (TransferID, Answer) {
        let id = mailbox.makeID()
        let answer = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard mailbox.post(command(id, continuation)) else {
                    continuation.resume(throwing: CancellationError())
                    return
                }
                // A cancellation before the post found nothing to abandon.
                if Task.isCancelled { _ = mailbox.post(.abandon(id)) }
            }
        } onCancel: {
            _ = mailbox.post(.abandon(id))
        }
        return (id, answer)
    }
}

/// A transfer of `CurlEngine` whose head has arrived.
final class CurlOpenTransfer: OpenTransfer {
    private let opened: OpenedResponse
    private let id: TransferID
    private let mailbox: Mailbox

    init(id: TransferID, opened: OpenedResponse, mailbox: Mailbox) {
        self.id = id
        self.opened = opened
        self.mailbox = mailbox
    }

    var head: ResponseHead { opened.head }
    var body: [UInt8]? { opened.body }

    deinit {
        abandon()
    }

    func receive(into sink: any BodySink) async -> TransferReport {
        if let body {
            return await DiskThread.run {
                let answer = body.withUnsafeBytes { sink.receive($0) }
                sink.finish()
                return TransferReport(wasCut: answer == .enough)
            }
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard mailbox.post(.receive(id, sink, continuation)) else {
                    continuation.resume(returning: TransferReport(wasCancelled: true))
                    return
                }
                if Task.isCancelled { _ = mailbox.post(.abandon(id)) }
            }
        } onCancel: {
            _ = mailbox.post(.abandon(id))
        }
    }

    func resume() {
        _ = mailbox.post(.resume(id))
    }

    func abandon() {
        if body == nil { _ = mailbox.post(.abandon(id)) }
    }
}
