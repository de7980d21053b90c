#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// libcurl's multi interface on threads of its own.
///
/// One thread moves what the network gives, unless it has to decrypt it too: TLS is spread over several, and so are
/// questions about copies, of which each answer is work and nothing else.
final class CurlEngine: TransferEngine {
    /// More threads than this are not filled by a network.
    private static let mostLanes = 4

    private let lanes: [EngineLane]
    private let table: LaneTable

    /// - Throws: `DownloadError` if libcurl or a thread cannot be started.
    init(transport: Transport, maxConnections: Int) throws(DownloadError) {
        // A jar of cookies is for one thread.
        let count = transport.cookieFile == nil ? max(1, min(Self.processors, Self.mostLanes)) : 1
        table = LaneTable(LaneChoice(maxConnections: maxConnections))
        var lanes: [EngineLane] = []
        for _ in 0..<count {
            do {
                lanes.append(
                    try EngineLane(of: table, transport: transport, maxConnections: maxConnections))
                table.add()
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

    func open(_ request: TransferRequest) async throws -> any OpenTransfer {
        let place = table.begin(to: request.host, isSpread: request.url.hasPrefix("https:"))
        let link = link(to: place)
        let opened = try await answer(over: link) { .open(place, request, $0) }
        return CurlOpenTransfer(opened, over: link)
    }

    func ask(_ batch: ConditionalRequests, for seconds: Double) async throws -> ConditionalAnswers {
        let place = table.begin(to: "", isSpread: true)
        return try await answer(over: link(to: place)) { .ask(place, batch, seconds: seconds, $0) }
    }

    private func link(to place: LaneChoice.Place) -> TransferLink {
        TransferLink(place: place, table: table, mailbox: lanes[place.lane].mailbox)
    }

    private func answer<Answer: Sendable>(
        over link: TransferLink,
        to command: @Sendable (CheckedContinuation<Answer, any Error>) -> EngineCommand
    ) async throws -> Answer {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard !Task.isCancelled else {
                    link.table.end(link.place, keepsConnection: true)
                    continuation.resume(throwing: CancellationError())
                    return
                }
                guard link.mailbox.post(command(continuation)) else {
                    continuation.resume(throwing: CancellationError())
                    return
                }
                // A cancellation before the post found nothing to abandon.
                if Task.isCancelled { link.abandon() }
            }
        } onCancel: {
            link.abandon()
        }
    }
}

/// The way to a transfer on the engine's thread.
struct TransferLink: Sendable {
    let place: LaneChoice.Place
    let table: LaneTable
    let mailbox: Mailbox

    /// Gives the transfer up, which closes its connection.
    func abandon() {
        _ = mailbox.post(.abandon(place.id))
        // What is sent to the thread from now on it finds behind that.
        table.end(place, keepsConnection: true)
    }
}

/// A transfer of `CurlEngine` whose head has arrived.
final class CurlOpenTransfer: OpenTransfer {
    private let opened: OpenedResponse
    private let link: TransferLink

    init(_ opened: OpenedResponse, over link: TransferLink) {
        self.opened = opened
        self.link = link
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
                guard link.mailbox.post(.receive(link.place.id, sink, continuation)) else {
                    continuation.resume(returning: TransferReport(wasCancelled: true))
                    return
                }
                if Task.isCancelled { link.abandon() }
            }
        } onCancel: {
            link.abandon()
        }
    }

    func resume() {
        _ = link.mailbox.post(.resume(link.place.id))
    }

    func abandon() {
        if body == nil { link.abandon() }
    }
}
