import Foundation
import SegmentedDL
import SegmentedDLMirror
import SystemPackage
import TestSupport
import Testing

@Suite("The guides' examples of downloads and mirrors")
struct GuideExamples {
    @Test("one file")
    func oneFile() async throws {
        let fixture = try await DownloadFixture()
        try await Self.oneFile(
            fixture.server.url("plain", 1000, name: "file.bin"), fixture.directory.path)
        try fixture.expectExact(1000)
        // The same with a `URL`; the file that is there is the right one.
        let url = try #require(URL(string: fixture.server.url("plain", 1000, name: "file.bin")))
        _ = try await Downloader.download(url, to: .directory(path: fixture.directory.path))
        try fixture.expectExact(1000)
    }

    private static func oneFile(_ url: String, _ directory: String) async throws {
        // example begins
        let result = try await Downloader.download(url, to: .directory(path: directory))
        print(result.fileURL?.absoluteString ?? "", result.length)
        // example ends
    }

    @Test("several files with progress")
    func several() async throws {
        let fixture = try await DownloadFixture()
        let urls = ["a", "b"].map { fixture.server.url("plain", 1000, name: $0) }
        try await Self.several(urls, fixture.directory.path)
        #expect(fixture.directory.names == ["a", "b"])
    }

    private static func several(_ urls: [String], _ directory: String) async throws {
        // example begins
        var configuration = Configuration()
        configuration.limits.activeFiles = 2
        configuration.limits.rate = 5_000_000
        try await Downloader.withDownloader(configuration) { downloader in
            for url in urls {
                var request = try DownloadRequest(url, to: .directory(path: directory))
                request.ifExists = .rename
                let result = try await downloader.download(request) { progress in
                    print(progress.name ?? "", progress.fraction ?? 0)
                }
                print(result.path?.string ?? "")
            }
        }
        // example ends
    }

    @Test("verbs of a handle")
    func verbs() async throws {
        let fixture = try await DownloadFixture()
        let downloader = try Downloader(fixture.configuration)
        let url = fixture.server.url("plain", 300_000, name: "file.bin")
        try await Self.verbs(downloader, url, fixture.directory.path)
        try await fixture.directory.waitFor("file.bin")
        await downloader.shutdown()
    }

    private static func verbs(_ downloader: Downloader, _ url: String, _ directory: String) async throws {
        // example begins
        let handle = downloader.start(try DownloadRequest(url, to: .directory(path: directory)))
        await handle.pause()
        print(handle.state, handle.currentProgress.bytesCompleted)
        handle.resume()
        handle.follow { progress in
            print(progress.state)
        } onCompletion: { result in
            print((try? result.get().length) ?? 0)
        }
        // example ends
    }

    @Test("errors")
    func errors() async throws {
        let fixture = try await DownloadFixture()
        try fixture.directory.write("mine", to: "file.bin")
        let downloader = try Downloader(fixture.configuration)
        await Self.errors(downloader, try fixture.request(fixture.server.url("plain", 1000)))
        await downloader.shutdown()
        #expect(try fixture.directory.read("file.bin") == Array("mine".utf8))
    }

    private static func errors(_ downloader: Downloader, _ request: DownloadRequest) async {
        do {
            try await failing(downloader, request)
        } catch {
            Issue.record(error)
        }
    }

    private static func failing(_ downloader: Downloader, _ request: DownloadRequest) async throws {
        // example begins
        do {
            _ = try await downloader.download(request)
        } catch let error as DownloadError where error.code == .fileExists {
            print("There is a file already: \(error.message)")
        } catch let error as DownloadError {
            print(error.localizedDescription, error.isRetryable)
        }
        // example ends
    }

    @Test("a mirror of a list, twice")
    func mirror() async throws {
        let fixture = try await DownloadFixture()
        let urls = ["a", "b"].map { fixture.server.url("plain", 1000, name: $0) }
        let downloader = try Downloader(fixture.configuration)
        let names = Dictionary(uniqueKeysWithValues: zip(urls, ["a.bin", "b.bin"]))
        let root = fixture.directory.filePath("copy")
        let items = try await Self.list(downloader, urls, names, root)
        try await Self.again(downloader, items, fixture.directory.filePath("other"))
        await downloader.shutdown()
        #expect(try TemporaryDirectory.names(of: root.string).sorted() == ["a.bin", "b.bin"])
    }

    private static func list(
        _ downloader: Downloader, _ urls: [String], _ names: [String: String], _ root: FilePath
    ) async throws -> [MirrorItem] {
        // example begins
        let items = try urls.map { url in
            let source = try Source(url)
            return MirrorItem([source], path: try RelativePath(names[url] ?? "file"))
        }
        var job = MirrorJob(root: root)
        job.failurePolicy = .stop(after: 10)
        let report = await downloader.mirror(job, of: items).report()
        for failure in report.failures { print(failure.message) }
        // example ends
        #expect(report.completed == 2)
        return items
    }

    private static func again(
        _ downloader: Downloader, _ items: [MirrorItem], _ root: FilePath
    ) async throws {
        // example begins
        var job = MirrorJob(root: root)
        job.state = MirrorJob.defaultState(in: root)
        let first = await downloader.mirror(job, of: items).report()
        let second = await downloader.mirror(job, of: items).report()
        print(first.completed, second.skipped)
        // example ends
        #expect(first.completed == 2)
        #expect(second.skipped == 2)
    }
}
