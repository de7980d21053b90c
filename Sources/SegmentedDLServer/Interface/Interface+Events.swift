internal import SegmentedDL
internal import SegmentedDLQueue
internal import SegmentedDLSupport

extension Interface {
    /// The interval between two state events.
    private static let interval = Duration.seconds(1)

    /// Sends server-sent events (HTML standard, 9.2): the state immediately and every second, and each
    /// change. Returns when the queue is shut down, or if the reader is too slow.
    @Sendable func sendEvents(_ sendBytes: @escaping HTTPAnswer.Send) async throws {
        let send: @Sendable (String, JSONValue) async throws -> Void = { name, value in
            try await sendBytes(
                Array("event: \(name)\ndata: ".utf8) + value.bytes + Array("\n\n".utf8))
        }
        let changes = downloads.events()
        let news = mirrors.events.makeStream(limit: 10_000)
        try await withThrowingTaskGroup { group in
            group.addTask {
                while true {
                    try await send("status", await liveStatus())
                    try await Task.sleep(for: Self.interval)
                }
            }
            group.addTask {
                for await change in news {
                    switch change {
                    case .changed(let mirror): try await send("mirror", mirror.value)
                    case .removed(let id):
                        try await send("mirrorRemoved", ["id": .string(id.description)])
                    }
                }
            }
            group.addTask {
                for await change in changes {
                    switch change {
                    case .added(let receipt), .changed(let receipt, _), .held(let receipt),
                        .updated(let receipt):
                        try await send("download", await values([receipt])[0])
                    case .reordered: break
                    case .removed(let receipt):
                        try await send("removed", ["id": .string(GID(of: receipt).description)])
                    }
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
