import ArgumentParser
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue
@testable import SegmentedDLServer
@testable import segdl

@Suite("An addition to a queue")
struct QueueAdditionTests {
    private func entry(_ url: String) throws -> QueueEntry {
        QueueEntry(try DownloadRequest(url, to: .directory("d")))
    }

    @Test("is sent as its request, with separate credentials")
    func wire() throws {
        var full = try entry("http://h/a")
        full.request.ifEncoded = .decode
        full.request.maximumLength = 5
        full.request.mirrors = [try Source("http://m/a")]
        full.key = "k"
        full.startsPaused = true
        let command = QueueCommand.add([full, try entry("http://me:pw@h/b")])
        let sent = try JSONEncoder().encode(command)
        guard case .add(let entries, let access) = try JSONDecoder().decode(QueueCommand.self, from: sent)
        else {
            Issue.record("It is another command.")
            return
        }
        #expect(entries.first == full)
        #expect(entries.last?.request.source.hasCredentials == false)
        #expect(
            access.mapValues(\.authorization)
                == [1: Authorization(credentials: Credentials(user: "me", password: "pw"))])
    }

    @Test("with credentials is refused by a local queue, and the others of its batch are added")
    func refused() async throws {
        let directory = try TemporaryDirectory()
        var configuration = ManagerConfiguration(store: directory.filePath("queue.sqlite"))
        configuration.runsDownloads = false
        try await DownloadManager.withManager(configuration) { manager in
            let command = QueueCommand.add([try entry("http://me:pw@h/a"), try entry("http://h/b")])
            let reply = await command.run(on: manager)
            #expect(reply.receipts.map(\.source.url) == ["http://h/b"])
            #expect(reply.failures.map { $0.message.contains("stores no credentials") } == [true])
        }
    }

    @Test("and a change accept a negative priority as a separate argument")
    func negativePriority() throws {
        for arguments in [["--priority", "-5"], ["--priority=-5"]] {
            #expect(try QueueAdd.parse(["http://h/a"] + arguments).priority == -5)
            #expect(try QueueSet.parse(["1"] + arguments).priority == -5)
        }
    }

    @Test("of a line with several URLs uses them as sources of one file")
    func mirrors() throws {
        let add = try QueueAdd.parse(["-i", "list"])
        let file = InputList.File(urls: ["http://h/a", "http://m/a", "http://n/a"], line: 1)
        let request = try add.entry(file, as: add.usualRequest(to: .directory("/d"))).request
        #expect(request.sources.map(\.url) == ["http://h/a", "http://m/a", "http://n/a"])
    }

    @Test("of an invalid URL is reported separately")
    func unusable() throws {
        let batches = try URLBatches(["ftp://h/a", "http://h/b"], list: nil, nil)
        let add = try QueueAdd.parse(["ftp://h/a", "http://h/b"])
        let files = try #require(batches.next())
        let entries = files.compactMap { file in
            batches.checking { () throws(DownloadError) in
                try add.entry(file, as: add.usualRequest(to: .directory("/d")))
            }
        }
        #expect(entries.map(\.request.source.url) == ["http://h/b"])
        #expect(batches.takeFailures().count == 1)
    }
}
