import Benchmark
import SegmentedDLSupport
import SystemPackage

@testable import SegmentedDL

private let total: Int64 = 256 * 1024 * 1024
/// What libcurl hands over at a time.
private let callback = 16 * 1024
/// How many bytes a fast connection receives between two ticks of the engine.
private let tick = 4 * 1024 * 1024

func sinkBenchmarks() {
    // One operation: 256 MiB are gathered and written, 16 KiB of each connection in turn.
    for connections in [1, 16] {
        measure(
            "sink-256MiB-\(connections)", prepare: { try Reception(connections) },
            job: { reception in try reception.receiveAll() })
    }
}

/// A part file and the sinks of its connections.
private final class Reception {
    private let folder: Folder
    private let part: PartFile
    private let sinks: [SegmentSink]
    private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: callback, alignment: 16)

    init(_ connections: Int) throws {
        folder = try Folder()
        let place = DownloadPaths(folder.path.appending("file"))
        part = try PartFile(place)
        try part.preallocate(total)
        var plan = SegmentPlan(total: total)
        plan.divide(among: connections, minimum: Int64(callback))
        let segments = (0..<connections).compactMap { _ in plan.next(now: Monotonic.now()) }
        let writer = PartWriter(part: part, plan: SharedPlan(plan))
        sinks = segments.map { SegmentSink(writer, segment: $0, bodyEnd: $0.end) }
        for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index) }
    }

    deinit {
        bytes.deallocate()
        part.close()
    }

    func receiveAll() throws {
        let share = Int(total) / sinks.count
        for received in stride(from: 0, to: share, by: callback) {
            for sink in sinks {
                guard case .more = sink.receive(UnsafeRawBufferPointer(bytes)) else {
                    preconditionFailure("The sink wants no more at \(received).")
                }
                if received % (tick / sinks.count) == 0 { _ = sink.tick() }
            }
        }
        for sink in sinks {
            sink.finish()
            precondition(sink.outcome.failure == nil && sink.outcome.received == Int64(share))
        }
    }
}
