import Foundation
import SystemPackage
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue

@Suite("Changes of settings in a queue")
struct QueueChangeTests {
    private let now = Date(timeIntervalSince1970: 0)

    /// Changes the entry of a download, like a manager.
    private func change(
        _ id: Receipt.ID, in queue: inout QueueState, _ edit: (inout QueueEntry) throws -> Void
    ) throws -> [QueueState.Action] {
        let record = try #require(queue.records[id])
        var entry = QueueEntry(record.request, key: record.key, onComplete: record.onComplete)
        try edit(&entry)
        return try queue.change(id, to: QueueRecord(entry, id: id, now: record.added))
    }

    private func add(
        _ file: String, key: String? = nil, to queue: inout QueueState
    ) throws -> Receipt.ID {
        let id = queue.makeID()
        let source = try Source("http://host/\(id)")
        _ = queue.add(
            QueueRecord(id: id, key: key, source: source, destination: .file(path: "/d/\(file)"), added: now))
        queue.admit([id])
        return id
    }

    @Test("settings of a waiting download are stored without starting it")
    func waiting() throws {
        var queue = QueueState(limits: Limits())
        let id = try add("a", to: &queue)
        let digests = [try Checksum(parsing: "md5=\(String(repeating: "0", count: 32))")]
        let actions = try change(id, in: &queue) { entry in
            entry.request.rate = 5
            entry.request.segments = .fixed(2)
            entry.request.ifExists = .replace
            entry.request.takesOver = true
            entry.request.keepsRemoteDate = false
            entry.request.checksums = digests
        }
        #expect(actions == [.save(id), .updated(id)])
        let request = try #require(queue.records[id]).request
        #expect(request.rate == 5)
        #expect(request.segments == .fixed(2))
        #expect(request.ifExists == .replace)
        #expect(request.takesOver)
        #expect(!request.keepsRemoteDate)
        #expect(request.checksums == digests)
    }

    @Test("changes of a receipt without another state are reported, except the figures of a run")
    func reported() throws {
        var queue = QueueState(limits: Limits(), asksFirst: true)
        let id = try add("a", to: &queue)
        let edited = queue.setPriority(5, of: id)
        #expect(edited == [.save(id), .updated(id)])
        let unedited = queue.setPriority(5, of: id)
        #expect(unedited == [])
        let moved = queue.move(id, to: .front)
        #expect(moved == [.save(id), .reordered])
        _ = queue.hold(id, Receipt.Hold(.gate))
        let started = queue.start(id)
        #expect(started == [.updated(id)])
        _ = queue.reschedule(now: now)
        #expect(queue.isRunning(id))
        let counted = queue.edit(id) { $0.bytesCompleted = 1 }
        #expect(counted == [.save(id)])
        let editedAgain = queue.setPriority(6, of: id)
        #expect(editedAgain == [.save(id), .updated(id)])
    }

    @Test("key, name, server digest check and action change; a key belongs to one download")
    func names() throws {
        var queue = QueueState(limits: Limits())
        let first = try add("a", key: "k", to: &queue)
        let second = try add("b", to: &queue)
        #expect(throws: DownloadError.self) { try change(second, in: &queue) { $0.key = "k" } }
        _ = try change(second, in: &queue) { entry in
            entry.key = "other"
            entry.request.naming = .urlMD5
            entry.request.verifiesServerDigest = false
            entry.onComplete = "unpack"
        }
        let record = try #require(queue.records[second])
        #expect(record.request.naming == .urlMD5)
        #expect(!record.request.verifiesServerDigest)
        #expect(record.onComplete == "unpack")
        #expect(queue.record(.key("other"))?.id == second)
        #expect(queue.record(.url("http://host/\(second)")) == nil)
        _ = try change(second, in: &queue) { $0.onComplete = nil }
        #expect(queue.records[second]?.onComplete == nil)
        #expect(queue.record(.key("k"))?.id == first)
    }

    @Test("a second addition with other settings is refused, and one without settings is not")
    func conflicts() throws {
        var known = QueueRecord(
            id: Receipt.ID(rawValue: 1), source: try Source("http://h/a"), destination: .directory("/d"),
            added: now)
        var wish = known
        #expect(wish.conflicts(with: known) == [])
        known.request.ifExists = .replace
        known.request.rate = 5
        #expect(wish.conflicts(with: known) == [])
        wish.request.ifExists = .rename
        wish.request.rate = 5
        wish.request.checksums = [try Checksum(parsing: "md5=\(String(repeating: "0", count: 32))")]
        #expect(wish.conflicts(with: known) == ["policy for existing files", "checksum"])
    }

    @Test("an empty change has no effect, and a limit can be removed")
    func nothing() throws {
        var queue = QueueState(limits: Limits())
        let id = try add("a", to: &queue)
        let actions = try change(id, in: &queue) { _ in }
        #expect(actions == [])
        _ = try change(id, in: &queue) { $0.request.rate = 5 }
        #expect(queue.records[id]?.request.rate == 5)
        _ = try change(id, in: &queue) { $0.request.rate = nil }
        #expect(queue.records[id]?.request.rate == nil)
    }

    @Test("a running download is stopped and restarted")
    func running() throws {
        var queue = QueueState(limits: Limits())
        let id = try add("a", to: &queue)
        _ = queue.reschedule(now: now)
        let actions = try change(id, in: &queue) { $0.request.rate = 5 }
        #expect(actions.contains(.stop(id)))
        let ended = queue.ended(id, run: 1, .stopped, now: now, jitter: 0)
        #expect(ended.contains(.begin(id, run: 2)))
    }

    @Test("a failed download stays failed")
    func failed() throws {
        var queue = QueueState(limits: Limits())
        let id = try add("a", to: &queue)
        _ = queue.reschedule(now: now)
        _ = queue.ended(id, run: 1, .failed(DownloadError(.badPath, "")), now: now, jitter: 0)
        _ = try change(id, in: &queue) { entry in
            entry.request.source = try Source("http://other/a")
            entry.request.mirrors = [try Source("http://third/a")]
        }
        #expect(queue.records.state(of: id) == .failed)
        #expect(queue.records[id]?.source.url == "http://other/a")
        #expect(queue.records[id]?.request.mirrors.map(\.url) == ["http://third/a"])
    }

    @Test("a path can be changed until bytes exist, and not to that of another download")
    func places() throws {
        var queue = QueueState(limits: Limits())
        let first = try add("a", to: &queue)
        let second = try add("b", to: &queue)
        #expect(throws: DownloadError.self) {
            try change(first, in: &queue) { $0.request.destination = .file("/d/b") }
        }
        _ = try change(first, in: &queue) { $0.request.destination = .file("/d/c") }
        #expect(queue.records[first]?.destination == .file("/d/c"))
        // The old path is free, and the new one is taken.
        _ = try change(second, in: &queue) { $0.request.destination = .file("/d/a") }
        #expect(throws: DownloadError.self) {
            try change(second, in: &queue) { $0.request.destination = .file("/d/c") }
        }
        _ = queue.edit(second) { $0.part = DownloadPaths("/d/a") }
        #expect(throws: DownloadError.self) {
            try change(second, in: &queue) { $0.request.destination = .file("/d/e") }
        }
    }

    @Test("a complete file keeps its path")
    func complete() throws {
        var queue = QueueState(limits: Limits())
        let id = try add("a", to: &queue)
        _ = queue.reschedule(now: now)
        _ = queue.ended(id, run: 1, .completed("/d/a", length: 1), now: now, jitter: 0)
        #expect(throws: DownloadError.self) {
            try change(id, in: &queue) { $0.request.destination = .file("/d/b") }
        }
        #expect(queue.records[id]?.destination == .file("/d/a"))
    }

    @Test("a URL of another download is refused; one with its own key may have it")
    func sources() throws {
        var queue = QueueState(limits: Limits())
        let first = try add("a", to: &queue)
        let second = try add("b", to: &queue)
        let third = try add("c", key: "k", to: &queue)
        let source = try Source("http://host/\(first)")
        #expect(throws: DownloadError.self) {
            try change(second, in: &queue) { $0.request.source = source }
        }
        _ = try change(third, in: &queue) { $0.request.source = source }
        #expect(queue.records[third]?.source.url == "http://host/\(first)")
    }

    @Test("numbers by states are in the order of the queue")
    func states() throws {
        var queue = QueueState(limits: Limits())
        let ids = try ["a", "b", "c"].map { try add($0, to: &queue) }
        _ = queue.pause(ids[1])
        _ = queue.move(ids[2], to: .front)
        #expect(queue.records.ids(in: [.queued, .paused]) == [ids[2], ids[0], ids[1]])
        #expect(queue.records.ids(in: [.paused, .failed]) == [ids[1]])
    }
}
