import SegmentedDLDatabase
import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue

@Suite("Sources in a queue's store")
struct StoredSourceTests {
    @Test(
        "are read as they were written; a version without locations reads the usual URL",
        arguments: [
            ("http://host/a?b=c%20d", "http://host/a?b=c%20d"),
            ("hf://org/model/a b.bin", "https://huggingface.co/org/model/resolve/main/a%20b.bin"),
            ("hf://datasets/org/d@v1/x", "https://huggingface.co/datasets/org/d/resolve/v1/x"),
            ("s3://work@bucket/a#b %41", "https://bucket.s3.amazonaws.com/a%23b%20%2541"),
        ])
    func text(named: String, usual: String) throws {
        let source = try Source(named: named)
        #expect(try Source(stored: source.stored) == source)
        #expect(try Source(source.stored).url == usual)
    }

    @Test("are kept by a queue; one that cannot resolve them says so, and one that can downloads")
    func queue() async throws {
        let directory = try TemporaryDirectory()
        var configuration = ManagerConfiguration(store: directory.filePath("queue.sqlite"))
        configuration.runsDownloads = false
        let first = try await DownloadManager(configuration)
        let text = "s3://work@bucket/dir/key"
        let request = DownloadRequest(
            try Source(named: text), to: .directory(directory.filePath("files")))
        let added = try await first.add(QueueEntry(request))
        #expect(try await first.receipts(.url(text)).map(\.id) == [added.id])
        try await first.shutdown()

        let second = try await DownloadManager(configuration)
        let receipt = try #require(await second.receipts.first)
        #expect(receipt.source.url == text && receipt.destination == request.destination)
        let record = try #require(await second.queue.records[receipt.id])
        let error = await #expect(throws: DownloadError.self) { try await second.resolved(record) }
        #expect(error?.message.contains("segdl queue start") == true)
        try await second.shutdown()

        configuration.resolve = { location in
            ResolvedSource(try location.usualURL(), credentials: Credentials(user: "k", password: "s"))
        }
        let third = try await DownloadManager(configuration)
        let task = try await third.task(for: record, third.resolved(record))
        #expect(task.request.source.url == "https://bucket.s3.amazonaws.com/dir/key")
        #expect(task.request.credentials?.user == "k")
        try await third.shutdown()
    }
}
