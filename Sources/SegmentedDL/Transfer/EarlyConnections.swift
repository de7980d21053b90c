import SegmentedDLSupport

/// The connections that a download with a fixed number of them opens while its first request waits for the
/// response. They save the segments a round trip, or two with TLS.
///
/// They are opened once the first connection shows that round trips are long, and only for the only download.
/// They are reserved in the scheduler instead of having permits, so that a refusal of the first request is
/// judged as that of a single connection. libcurl keeps them for later requests. Releasing this object closes
/// those that are not open yet.
final class EarlyConnections: Sendable {
    /// In seconds. Over a shorter distance, they cost a small file more than they save a large one.
    static let shortestRoundTrip = 0.02
    /// How long, in seconds, a segment waits for its connection before it opens another one. A lost packet is
    /// sent again after one second (RFC 6298).
    private static let longestWaitSeconds = 1.0

    private struct Opening: Sendable {
        let ended: AsyncEvent
        let giveUp: @Sendable () -> Void
    }

    private struct State {
        var origin: Origin?
        var opening: [Opening] = []
    }

    private let client: SourceClient
    private let count: Int
    private let state = Lock(State())

    /// - Parameter count: The number of connections besides the first one.
    init(_ client: SourceClient, count: Int) {
        self.client = client
        self.count = count
    }

    deinit {
        keep(0)
    }

    /// Opens the connections. A redirect leads to a further call, for another server.
    ///
    /// - Parameter roundTrip: The round-trip time to the server or proxy in seconds.
    func connected(to place: Source, roundTrip: Double) {
        guard state.withLock({ $0.origin != place.origin }) else { return }
        keep(0)
        let events = (0..<(roundTrip >= Self.shortestRoundTrip ? count : 0)).map { _ in AsyncEvent() }
        state.withLock { state in
            state.origin = place.origin
            let closures = client.openConnections(events.map { event in { event.send() } }, to: place)
            state.opening = zip(events, closures).map { Opening(ended: $0, giveUp: $1) }
        }
    }

    /// Returns true if connections to a server have been opened, or are being opened.
    func lead(to origin: Origin) -> Bool {
        state.withLock { $0.origin == origin && !$0.opening.isEmpty }
    }

    /// Gives up the connections that are not open yet, except for this many.
    func keep(_ count: Int) {
        let unused = state.withLock { state in
            defer { state.opening = Array(state.opening.prefix(count)) }
            return state.opening.dropFirst(count)
        }
        for opening in unused { opening.giveUp() }
    }

    /// Waits until one more of the connections can be used, unless all have been returned.
    func next() async {
        let next = state.withLock { state in state.opening.isEmpty ? nil : state.opening.removeFirst() }
        guard let next else { return }
        let isOpen = await withTaskGroup { group in
            group.addTask { await next.ended.wait() }
            group.addTask {
                try? await Task.sleep(for: .seconds(Self.longestWaitSeconds))
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        if !isOpen { next.giveUp() }
    }
}
