import SegmentedDL
import SegmentedDLDatabase
import SystemPackage
import TestSupport
import Testing

@testable import segdl

@Suite("The mailbox of a queue")
struct QueueMailboxTests {
    private let directory: TestSupport.TemporaryDirectory
    private let client: QueueMailbox
    private let server: QueueMailbox

    init() throws {
        directory = try TestSupport.TemporaryDirectory()
        server = try QueueMailbox(for: directory.filePath("queue.sqlite"))
        client = try QueueMailbox(for: directory.filePath("queue.sqlite"))
    }

    private func execute(_ sql: String) throws {
        try Database(directory.filePath("queue.sqlite.control"), .readWrite).run(sql)
    }

    @Test("a command that was removed unread is known to be discarded")
    func discarded() async throws {
        let id = try await client.post(.active)
        guard case .waiting = try await client.status(of: id) else { throw Unexpected() }
        try execute("DELETE FROM message")
        guard case .discarded = try await client.status(of: id) else { throw Unexpected() }
    }

    @Test("a command from before the queue was opened is not run, whatever the clock says")
    func earlier() async throws {
        let stale = try await client.post(.active)
        let later = try QueueMailbox(for: directory.filePath("queue.sqlite"))
        let id = try await client.post(.active)
        // As after a clock that was set back.
        try execute("UPDATE message SET posted = 0 WHERE id = \(id)")
        try execute("UPDATE message SET posted = 1e12 WHERE id = \(stale)")
        #expect(try await later.take()?.id == id)
        #expect(try await later.take()?.id == nil)
        guard case .discarded = try await client.status(of: stale) else { throw Unexpected() }
    }

    @Test("an unknown command has a reply, and does not stop the next one")
    func unknown() async throws {
        let strange = try await client.post(.active)
        let id = try await client.post(.active)
        try execute("UPDATE message SET instruction = '{\"new\":{}}' WHERE id = \(strange)")
        #expect(try await server.take()?.id == id)
        guard case .replied(let reply) = try await client.status(of: strange) else { throw Unexpected() }
        #expect(reply.failures.map(\.exitStatus) == [6])
        #expect(reply.failures.first?.message.contains("another version") == true)
    }

    @Test("a damaged one does not keep a queue from starting")
    func damaged() async throws {
        let store = directory.filePath("other.sqlite")
        try directory.write(String(repeating: "no database ", count: 500), to: "other.sqlite.control")
        #expect(throws: DownloadError.self) { try QueueMailbox(for: store) }
        let mailbox = try QueueMailbox(for: store, replacesDamaged: true)
        let id = try await mailbox.post(.active)
        guard case .waiting = try await mailbox.status(of: id) else { throw Unexpected() }
    }

    private struct Unexpected: Error {}
}
