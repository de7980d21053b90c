internal import SegmentedDL
internal import SegmentedDLQueue
internal import SegmentedDLSupport

extension Interface {
    /// The interval between two states.
    private static let interval = Duration.seconds(1)
    /// Maximum messages buffered for a slow reader.
    private static let longest = 2_000

    /// Server-sent events (HTML standard, 9.2): the state now and every second, and each change. The stream
    /// ends if its reader is too slow.
    func events() -> AsyncStream<[UInt8]> {
        let (stream, writer) = AsyncStream.makeStream(
            of: [UInt8].self, bufferingPolicy: .bufferingOldest(Self.longest))
        let send: @Sendable (String, JSONValue) -> Void = { name, value in
            let bytes = Array("event: \(name)\ndata: ".utf8) + value.bytes + Array("\n\n".utf8)
            if case .dropped = writer.yield(bytes) { writer.finish() }
        }
        let changes = downloads.events()
        let news = mirrors.events.makeStream(limit: 10_000)
        let work = Task {
            await withTaskGroup { group in
                group.addTask {
                    repeat {
                        send("status", await liveStatus())
                    } while (try? await Task.sleep(for: Self.interval)) != nil
                }
                group.addTask {
                    for await change in news {
                        switch change {
                        case .changed(let mirror): send("mirror", mirror.value)
                        case .removed(let id):
                            send("mirrorRemoved", ["id": .string(id.description)])
                        }
                    }
                }
                for await change in changes {
                    switch change {
                    case .added(let receipt), .changed(let receipt, _), .held(let receipt):
                        send("download", await values([receipt])[0])
                    case .removed(let receipt):
                        send("removed", ["id": .string(GID(of: receipt).description)])
                    }
                }
                group.cancelAll()
            }
            writer.finish()
        }
        writer.onTermination = { _ in work.cancel() }
        return stream
    }
}
