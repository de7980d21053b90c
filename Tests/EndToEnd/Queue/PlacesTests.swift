import Foundation
import SegmentedDLMirror
import SegmentedDLQueue
import SystemPackage
import TestContent
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("Where a queue's files go")
struct PlacesTests {
    @Test("a name comes from the server, the URL, or the URL's digest")
    func naming() async throws {
        let fixture = try await QueueFixture()
        let url = fixture.url("plain", 1000, "a.bin", "disposition=attachment;filename=server.txt")
        try await fixture.withManager { manager in
            for naming in FileNaming.allCases {
                var request = try fixture.request(url)
                request.naming = naming
                let receipt = try await manager.add(QueueEntry(request, key: naming.rawValue))
                try await manager.result(of: receipt.id)
            }
        }
        let digests = fixture.fileNames.filter { $0.count == 64 + 4 || $0.count == 32 + 4 }
        #expect(digests.allSatisfy { $0.hasSuffix(".bin") })
        #expect(Set(fixture.fileNames) == Set(["server.txt", "a.bin"] + digests))
        #expect(digests.count == 2)
    }

    @Test("a closure can choose the path once the server has responded")
    func chosen() async throws {
        var fixture = try await QueueFixture()
        let files = fixture.files
        fixture.configuration.chooseDestination = { receipt, response, _ in
            #expect(response.length == 3_000_000)
            #expect(response.suggestedName == "file.bin")
            #expect(response.contentType == "image/x-test")
            #expect(response.status == 206)
            #expect(response.value(of: "Content-Type") == "image/x-test")
            #expect(response.finalSource == receipt.source)
            return files.appending("by-key").appending("\(receipt.key ?? "").img")
        }
        let url = fixture.url("plain", 3_000_000, "file.bin", "ctype=image/x-test&first-rate=200000")
        let id = try await fixture.withManager { [fixture] manager in
            let receipt = try await manager.add(QueueEntry(fixture.request(url), key: "k"))
            try await fixture.waitForBytes(receipt.id, manager)
            return receipt.id
        }
        fixture.configuration.chooseDestination = { _, _, _ in
            Issue.record("asked twice")
            return nil
        }
        try await fixture.withManager { manager in
            let result = try await manager.result(of: id)
            #expect(result.path == files.appending("by-key").appending("k.img"))
        }
        try fixture.expectExact(3_000_000, "by-key/k.img")
    }

    @Test("unfinished files are in a separate directory, even on another file system")
    func incomplete() async throws {
        for incomplete in [nil, FilePath("/dev/shm/segdl-test-\(UUID().uuidString)")] {
            var fixture = try await QueueFixture()
            defer { if let incomplete { try? FileManager.default.removeItem(atPath: incomplete.string) } }
            let directory = incomplete ?? fixture.download.directory.filePath("incomplete")
            fixture.configuration.downloads.incompleteDirectory = directory
            let other = try await SharedServer.scenario()
            let ids = try await fixture.withManager { [fixture] manager in
                // Two with the same name, in different directories.
                let first = try await manager.add(
                    fixture.request(fixture.url("plain", 3_000_000, "file.bin", "hold=2000000")))
                var request = try fixture.request(
                    other.url("plain", 2_000_000, name: "file.bin", "hold=1200000&seed=2"))
                request.destination = .directory(fixture.files.appending("b"))
                let second = try await manager.add(request)
                try await fixture.waitForBytes(first.id, manager)
                try await fixture.waitForBytes(second.id, manager)
                #expect(fixture.fileNames == ["b"])
                // A manifest that is being replaced briefly has two names.
                let names = try TemporaryDirectory.names(of: directory.string)
                let parts = names.filter { $0.hasSuffix(".part") }
                #expect(parts.count == 2)
                if incomplete != nil {
                    let places = [directory, fixture.files]
                    let devices = try places.map { try SystemCalls.statusFollowingLinks($0).device }
                    #expect(Set(devices).count == 2, "/dev/shm is no other file system here")
                }
                return [first.id, second.id]
            }
            #expect(try TemporaryDirectory.names(of: directory.string).count == 4)
            try await fixture.withManager { manager in
                for id in ids { #expect((await manager.receipt(id)?.bytesCompleted ?? 0) > 0) }
                for id in ids { try await manager.result(of: id) }
            }
            // They continued where they were: the probe requested the first missing byte.
            for server in [fixture.download.server, other] {
                let ranges = try await server.requests().compactMap(\.range)
                #expect(ranges.count >= 2)
                #expect(ranges.dropFirst().allSatisfy { $0 != "bytes=0-" })
            }
            try fixture.expectExact(3_000_000)
            try fixture.download.expectBytes(2_000_000, seed: 2, name: "files/b/file.bin")
            #expect(fixture.fileNames == ["b", "file.bin"])
            #expect(try TemporaryDirectory.names(of: directory.string).isEmpty)
        }
    }

    @Test("two downloads with the same name never mix, even when one is paused")
    func sameName() async throws {
        let fixture = try await QueueFixture()
        try await fixture.withManager { manager in
            let first = try await manager.add(
                fixture.request(fixture.url("plain", 3_000_000, "file.bin", "hold=2000000")))
            try await fixture.waitForBytes(first.id, manager)
            let paused = try await manager.pause(.id(first.id))[0]
            let second = try await manager.add(
                fixture.request(fixture.url("plain", 2_000_000, "file.bin", "seed=2")))
            let error = await #expect(throws: DownloadError.self) {
                try await manager.result(of: second.id)
            }
            #expect(error?.code == .duplicate)
            #expect(error?.message.contains("/plain/2000000/file.bin") == true)
            var renamed = try fixture.request(fixture.url("plain", 2_000_000, "file.bin", "seed=3"))
            renamed.ifExists = .rename
            let third = try await manager.add(renamed)
            #expect(try await manager.result(of: third.id).path == fixture.files.appending("file.1.bin"))
            #expect(try Segdl.kept("files/file.bin", in: fixture.download.directory) == paused.bytesCompleted)
            try await manager.resume(.id(first.id))
            try await manager.result(of: first.id)
        }
        try fixture.expectExact(3_000_000)
        try fixture.download.expectBytes(2_000_000, seed: 3, name: "files/file.1.bin")
    }

    @Test("URLs with spaces and other letters are encoded")
    func odd() async throws {
        let fixture = try await QueueFixture()
        try await fixture.withManager { manager in
            let receipt = try await manager.add(
                fixture.request(fixture.url("plain", 1000, "größe 1.bin")))
            try await manager.result(of: receipt.id)
            #expect(try await manager.receipts(.url(fixture.url("plain", 1000, "größe 1.bin"))).count == 1)
        }
        #expect(fixture.fileNames == ["größe 1.bin"])
    }

    @Test("removing with files deletes them, but not another program's")
    func removes() async throws {
        let fixture = try await QueueFixture()
        try await fixture.withManager { manager in
            let first = try await manager.add(fixture.request(fixture.url("plain", 1000, "a.bin")))
            let second = try await manager.add(fixture.request(fixture.url("plain", 1000, "b.bin")))
            try await manager.waitUntilIdle()
            try fixture.download.directory.write("mine now", to: "files/b.bin")
            try await manager.remove(.all, withFiles: true)
            #expect(await manager.receipts.isEmpty)
            _ = (first, second)
        }
        #expect(fixture.fileNames == ["b.bin"])
    }

    @Test("removing or restarting does not take another program's unfinished file")
    func strangers() async throws {
        let fixture = try await QueueFixture()
        try await fixture.withManager { manager in
            let done = try await manager.add(fixture.request(fixture.url("plain", 1000, "a.bin")))
            try await manager.result(of: done.id)
            // The user has moved the file away, and fetches another one with its name.
            try fixture.download.directory.rename("files/a.bin", to: "files/old.bin")
            let file = fixture.files.appending("a.bin")
            let other = Task {
                try await fixture.download.download(
                    DownloadRequest(fixture.url("plain", 3_000_000, "x", "rate=50000"), to: .file(file)))
            }
            try await Segdl.waitUntilKept("files/a.bin", atLeast: 1, in: fixture.download.directory)
            other.cancel()
            _ = await other.result
            try await manager.remove(.id(done.id), withFiles: true)
            #expect(fixture.fileNames == ["a.bin.part", "a.bin.part.segdl", "old.bin"])

            try fixture.download.directory.write("precious", to: "files/b.bin.part")
            let blocked = try await manager.add(fixture.request(fixture.url("plain", 1000, "b.bin")))
            for _ in 0..<2 {
                let error = await #expect(throws: DownloadError.self) {
                    try await manager.result(of: blocked.id)
                }
                #expect(error?.code == .badPath)
                try await manager.restart(.id(blocked.id))
            }
            _ = try? await manager.result(of: blocked.id)
            #expect(try fixture.download.directory.read("files/b.bin.part") == Array("precious".utf8))
        }
    }

    @Test("a small file that is paused keeps its bytes")
    func small() async throws {
        let fixture = try await QueueFixture()
        try await fixture.withManager { manager in
            let receipt = try await manager.add(
                fixture.request(fixture.url("plain", 500_000, "file.bin", "hold=300000")))
            while (await manager.receipt(receipt.id)?.bytesCompleted ?? 0) == 0 {
                try await Task.sleep(for: .milliseconds(5))
            }
            let paused = try await manager.pause(.id(receipt.id))[0]
            #expect(paused.bytesCompleted > 0)
            #expect(try Segdl.kept("files/file.bin", in: fixture.download.directory) == paused.bytesCompleted)
            try await manager.resume(.id(receipt.id))
            try await manager.result(of: receipt.id)
            #expect(
                try await fixture.download.server.requests().last?.range == "bytes=\(paused.bytesCompleted)-")
        }
        try fixture.expectExact(500_000)
    }

    @Test("the directory for unfinished files can change; those in the old one are found")
    func movedIncomplete() async throws {
        var fixture = try await QueueFixture()
        let old = fixture.download.directory.filePath("old")
        fixture.configuration.downloads.incompleteDirectory = old
        let id = try await fixture.withManager { [fixture] manager in
            let receipt = try await manager.add(
                fixture.request(fixture.url("plain", 3_000_000, "file.bin", "hold=2000000")))
            try await fixture.waitForBytes(receipt.id, manager)
            return receipt.id
        }
        fixture.configuration.downloads.incompleteDirectory = nil
        try await fixture.withManager { manager in
            #expect((await manager.receipt(id)?.bytesCompleted ?? 0) > 0)
            try await manager.result(of: id)
        }
        let ranges = try await fixture.download.server.requests().map(\.range)
        #expect(ranges.filter { $0 == "bytes=0-" }.count == 1)
        try fixture.expectExact(3_000_000)
        #expect(try TemporaryDirectory.names(of: old.string).isEmpty)
    }

    @Test("a removed directory is created again")
    func removedDirectory() async throws {
        let fixture = try await QueueFixture()
        try await fixture.withManager { manager in
            let receipt = try await manager.add(fixture.request(fixture.url("plain", 1000)))
            try await manager.result(of: receipt.id)
            try fixture.download.directory.remove("files")
            try await manager.restart(.id(receipt.id))
            try await manager.result(of: receipt.id)
        }
        try fixture.expectExact(1000)
    }
}
