import Foundation
import SystemPackage
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue

@Suite("Changes of settings in a queue")
struct QueueChangeTests {
    private let now = Date(timeIntervalSince1970: 0)

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

    @Test("settings of a download that waits are stored, and it does not begin")
    func waiting() throws {
        var queue = QueueState(limits: Limits())
        let id = try add("a", to: &queue)
        var change = QueueChange()
        change.rate = 5
        change.segments = .fixed(2)
        change.ifExists = .replace
        change.takesOver = true
        change.keepsRemoteDate = false
        change.checksums = [try Checksum(parsing: "md5=\(String(repeating: "0", count: 32))")]
        let actions = try queue.change(id, change)
        #expect(actions == [.save(id)])
        let options = try #require(queue.records[id]).options
        #expect(options.rate == 5)
        #expect(options.segments == .fixed(2))
        #expect(options.ifExists == .replace)
        #expect(options.takesOver == true)
        #expect(options.keepsRemoteDate == false)
        #expect(options.checksums == change.checksums)
    }

    @Test("key, name, server's digest and action change; a key belongs to one download")
    func names() throws {
        var queue = QueueState(limits: Limits())
        let first = try add("a", key: "k", to: &queue)
        let second = try add("b", to: &queue)
        var change = QueueChange()
        change.key = "k"
        #expect(throws: DownloadError.self) { try queue.change(second, change) }
        change.key = "other"
        change.naming = .urlMD5
        change.verifiesServerDigest = false
        change.onComplete = "unpack"
        _ = try queue.change(second, change)
        let record = try #require(queue.records[second])
        #expect(record.options.naming == .urlMD5)
        #expect(!record.options.verifiesServerDigest)
        #expect(record.options.onComplete == "unpack")
        #expect(queue.record(.key("other"))?.id == second)
        #expect(queue.record(.url("http://host/\(second)")) == nil)
        change.onComplete = ""
        _ = try queue.change(second, change)
        #expect(queue.records[second]?.options.onComplete == nil)
        #expect(queue.record(.key("k"))?.id == first)
    }

    @Test("a second addition with another wish is refused, and one without a wish is not")
    func conflicts() throws {
        var known = QueueRecord.Options()
        var wish = known
        #expect(wish.conflicts(with: known) == [])
        known.ifExists = .replace
        known.rate = 5
        #expect(wish.conflicts(with: known) == [])
        wish.ifExists = .rename
        wish.rate = 5
        wish.checksums = [try Checksum(parsing: "md5=\(String(repeating: "0", count: 32))")]
        #expect(wish.conflicts(with: known) == ["policy for existing files", "checksum"])
    }

    @Test("a change of nothing does nothing, and 0 takes the limit away")
    func nothing() throws {
        var queue = QueueState(limits: Limits())
        let id = try add("a", to: &queue)
        let actions = try queue.change(id, QueueChange())
        #expect(actions == [])
        var change = QueueChange()
        change.rate = 5
        _ = try queue.change(id, change)
        change.rate = 0
        _ = try queue.change(id, change)
        #expect(queue.records[id]?.options.rate == nil)
    }

    @Test("a download that runs is stopped, and begins again")
    func running() throws {
        var queue = QueueState(limits: Limits())
        let id = try add("a", to: &queue)
        _ = queue.reschedule(now: now)
        var change = QueueChange()
        change.rate = 5
        let actions = try queue.change(id, change)
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
        var change = QueueChange()
        change.sources = [try Source("http://other/a"), try Source("http://third/a")]
        _ = try queue.change(id, change)
        #expect(queue.records.state(of: id) == .failed)
        #expect(queue.records[id]?.source.url == "http://other/a")
        #expect(queue.records[id]?.options.mirrors == ["http://third/a"])
    }

    @Test("a place is changed until there are bytes, and not to that of another download")
    func places() throws {
        var queue = QueueState(limits: Limits())
        let first = try add("a", to: &queue)
        let second = try add("b", to: &queue)
        var change = QueueChange()
        change.destination = .file("/d/b")
        #expect(throws: DownloadError.self) { try queue.change(first, change) }
        change.destination = .file("/d/c")
        _ = try queue.change(first, change)
        #expect(queue.records[first]?.destination == .file("/d/c"))
        // The old place is free, and the new one is not.
        change.destination = .file("/d/a")
        _ = try queue.change(second, change)
        change.destination = .file("/d/c")
        #expect(throws: DownloadError.self) { try queue.change(second, change) }
        _ = queue.edit(second) { $0.part = DownloadPaths("/d/a") }
        change.destination = .file("/d/e")
        #expect(throws: DownloadError.self) { try queue.change(second, change) }
    }

    @Test("a complete file keeps its place")
    func complete() throws {
        var queue = QueueState(limits: Limits())
        let id = try add("a", to: &queue)
        _ = queue.reschedule(now: now)
        _ = queue.ended(id, run: 1, .completed("/d/a", length: 1), now: now, jitter: 0)
        var change = QueueChange()
        change.destination = .file("/d/b")
        #expect(throws: DownloadError.self) { try queue.change(id, change) }
        #expect(queue.records[id]?.destination == .file("/d/a"))
    }

    @Test("a URL that tells another download is refused; one with a key of its own may have it")
    func sources() throws {
        var queue = QueueState(limits: Limits())
        let first = try add("a", to: &queue)
        let second = try add("b", to: &queue)
        let third = try add("c", key: "k", to: &queue)
        var change = QueueChange()
        change.sources = [try Source("http://host/\(first)")]
        #expect(throws: DownloadError.self) { try queue.change(second, change) }
        _ = try queue.change(third, change)
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
