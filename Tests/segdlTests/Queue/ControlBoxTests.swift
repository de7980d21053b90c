import SegmentedDL
import SegmentedDLDatabase
import SegmentedDLMirror
import SystemPackage
import TestSupport
import Testing

@testable import segdl

@Suite("Where commands leave instructions for a queue")
struct ControlBoxTests {
    private let directory: TemporaryDirectory
    private let client: ControlBox
    private let server: ControlBox

    init() throws {
        directory = try TemporaryDirectory()
        server = try ControlBox(for: directory.filePath("queue.sqlite"))
        client = try ControlBox(for: directory.filePath("queue.sqlite"))
    }

    private func execute(_ sql: String) throws {
        try Database(directory.filePath("queue.sqlite.control"), .readWrite).run(sql)
    }

    @Test("what was thrown away unread is known to be gone")
    func gone() async throws {
        let id = try await client.post(.active)
        guard case .waiting = try await client.reply(to: id) else { throw Unexpected() }
        try execute("DELETE FROM message")
        guard case .gone = try await client.reply(to: id) else { throw Unexpected() }
    }

    @Test("what was posted before the queue was opened is not carried out, whatever the clock says")
    func earlier() async throws {
        let stale = try await client.post(.active)
        let later = try ControlBox(for: directory.filePath("queue.sqlite"))
        let id = try await client.post(.active)
        // As after a clock that was set back.
        try execute("UPDATE message SET posted = 0 WHERE id = \(id)")
        try execute("UPDATE message SET posted = 1e12 WHERE id = \(stale)")
        #expect(try await later.take()?.id == id)
        #expect(try await later.take()?.id == nil)
        guard case .gone = try await client.reply(to: stale) else { throw Unexpected() }
    }

    @Test("what the queue's owner does not know is answered, and does not stop what follows")
    func unknown() async throws {
        let strange = try await client.post(.active)
        let id = try await client.post(.active)
        try execute("UPDATE message SET instruction = '{\"new\":{}}' WHERE id = \(strange)")
        #expect(try await server.take()?.id == id)
        guard case .answered(let answer) = try await client.reply(to: strange) else { throw Unexpected() }
        #expect(answer.failures.map(\.exitStatus) == [6])
        #expect(answer.failures.first?.message.contains("another version") == true)
    }

    @Test("one that is damaged does not keep a queue from starting")
    func damaged() async throws {
        let store = directory.filePath("other.sqlite")
        try directory.write(String(repeating: "no database ", count: 500), to: "other.sqlite.control")
        #expect(throws: DownloadError.self) { try ControlBox(for: store) }
        let box = try ControlBox(for: store, replacesDamaged: true)
        let id = try await box.post(.active)
        guard case .waiting = try await box.reply(to: id) else { throw Unexpected() }
    }

    private struct Unexpected: Error {}
}
