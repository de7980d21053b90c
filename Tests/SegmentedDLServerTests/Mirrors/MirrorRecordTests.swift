import SegmentedDL
import SegmentedDLMirror
import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDLServer

@Suite struct MirrorRecordTests {
    private func record(_ ending: MirrorReport.Ending?, failed: Int = 0, isWanted: Bool = false)
        -> MirrorRecord
    {
        var record = MirrorRecord(order: MirrorOrder(source: "http://h/", directory: "/d"), added: 1)
        record.isWanted = isWanted
        var tally = MirrorTally()
        tally.failed = failed
        record.last = ending.map { MirrorOutcome(ending: $0, tally: tally, began: 1, ended: 2) }
        return record
    }

    @Test("the state of an idle mirror follows from its last run, unless it is requested")
    func states() {
        #expect(record(nil).restingState == .stopped)
        #expect(record(.finished).restingState == .complete)
        #expect(record(.finished, failed: 1).restingState == .incomplete)
        #expect(record(.sourceFailed, failed: 1).restingState == .failed)
        #expect(record(.cancelled).restingState == .stopped)
        #expect(record(.finished, isWanted: true).restingState == .waiting)
    }

    @Test("mirrors are restored in order, with their last state")
    func stored() async throws {
        let directory = try TemporaryDirectory()
        let queue = directory.filePath("queue.sqlite")
        var store = try DaemonStore(beside: queue)
        let ids = [GID.random(), GID.random(), GID.random()]
        for id in ids { try await store.add(record(nil, isWanted: true), of: id) }
        let ended = record(.finished, failed: 2)
        try await store.update(ended, of: ids[0])
        try await store.eraseMirror(ids[1])
        // Its run ends after the removal.
        try await store.update(ended, of: ids[1])
        await store.close()
        store = try DaemonStore(beside: queue)
        let mirrors = try await store.mirrors()
        #expect(mirrors.map(\.id) == [ids[0], ids[2]])
        #expect(mirrors.map(\.record) == [ended, record(nil, isWanted: true)])
        await store.close()
    }
}
