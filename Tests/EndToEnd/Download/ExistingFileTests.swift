import Foundation
import SegmentedDL
import SystemPackage
import TestContent
import TestSupport
import Testing

@Suite("An existing file", .timeLimit(.minutes(10)))
struct ExistingFileTests {
    private static let size: Int64 = 300_000

    private func repeated(
        _ request: DownloadRequest, _ fixture: DownloadFixture
    ) async throws -> (first: DownloadResult, second: DownloadResult) {
        (try await fixture.download(request), try await fixture.download(request))
    }

    @Test("is complete, whatever the policy for other files", arguments: ExistingFilePolicy.allCases)
    func again(policy: ExistingFilePolicy) async throws {
        let fixture = try await DownloadFixture()
        var request = try fixture.request(fixture.server.url("plain", Self.size))
        request.ifExists = policy
        let (first, second) = try await repeated(request, fixture)
        #expect(first.outcome == .downloaded && second.outcome == .unchanged)
        #expect(second.path == first.path && second.length == Self.size && second.bytesWritten == 0)
        try fixture.expectExact(Self.size)
    }

    @Test("costs one request without a body if the server supports conditions")
    func conditional() async throws {
        let nginx = try await Nginx()
        try TestContent(seed: 1).write(to: nginx.root.file("file.bin"), length: Self.size)
        let fixture = try await DownloadFixture()
        let request = try fixture.request(nginx.url("file.bin"))
        _ = try await fixture.download(request)
        let before = nginx.accessLog.count
        #expect(try await fixture.download(request).outcome == .unchanged)
        #expect(nginx.accessLog.dropFirst(before).map { $0.contains(" 304 ") } == [true])
    }

    @Test(
        "is recognized by unchanged validators if it has no date",
        arguments: ["lm=none", "lm=none&etag=weak"])
    func tag(query: String) async throws {
        let fixture = try await DownloadFixture()
        let request = try fixture.request(fixture.server.url("plain", Self.size, query))
        #expect(try await repeated(request, fixture).second.outcome == .unchanged)
    }

    /// arafato/azurite #166: its tags had no quotation marks, and it compared them with quoted ones.
    @Test(
        "is complete although the server refuses the condition", arguments: ["0x8D02F5F0F4E7631", "W/0x8D"])
    func refusedCondition(tag: String) async throws {
        let fixture = try await DownloadFixture()
        let request = try fixture.request(
            fixture.server.url("plain", Self.size, "conditions=quoted&etag=\(tag)&lm=none"))
        #expect(try await repeated(request, fixture).second.outcome == .unchanged)
        #expect(try await fixture.server.requests().map(\.status).suffix(2) == [412, 206])
    }

    @Test(
        "without validators from the server is complete by its length and bytes, unless it is to be replaced",
        arguments: ExistingFilePolicy.allCases)
    func noValidators(policy: ExistingFilePolicy) async throws {
        let fixture = try await DownloadFixture()
        var request = try fixture.request(fixture.server.url("plain", Self.size, "lm=none&etag=none"))
        request.ifExists = policy
        let outcome = try await repeated(request, fixture).second.outcome
        #expect(outcome == (policy == .replace || policy == .update ? .downloaded : .unchanged))
    }

    /// apt-mirror/apt-mirror #63: a captive portal answered the request for each file of the second run.
    @Test(
        "is kept if an update gets a page or a short message with 200",
        arguments: ["type=text/html&text=Log_in", "text=Session_expired.", "text=_"])
    func words(answer: String) async throws {
        let fixture = try await DownloadFixture()
        var request = try fixture.request(
            fixture.server.url("status", Self.size, "code=200&after=1&\(answer)"))
        request.ifExists = .update
        _ = try await fixture.download(request, segments: 1)
        #expect(try await fixture.failure(request).code == .remoteFileChanged)
        for policy in [ExistingFilePolicy.fail, .skip] {
            request.ifExists = policy
            let error = try await fixture.failure(request)
            #expect(error.code == .remoteFileChanged && error.message.contains("left unchanged"), "\(error)")
            #expect(!error.message.contains("remove") && error.remedy == nil, "\(error)")
        }
        try fixture.expectExact(Self.size)
        request.ifExists = .replace
        #expect(try await fixture.download(request, segments: 1).outcome == .downloaded)
    }

    @Test("of unknown length without validators from the server is complete by its bytes")
    func noValidatorsNoLength() async throws {
        let fixture = try await DownloadFixture()
        for (number, size) in [Int64(0), 15, 3_000_000].enumerated() {
            let request = try fixture.request(
                fixture.server.url("chunked", size, "lm=none&etag=none"), to: "\(number)")
            #expect(try await repeated(request, fixture).second.outcome == .unchanged)
        }
    }

    @Test(
        "without validators from the server is another one once its bytes have changed",
        arguments: [15, 300_000, 3_000_000] as [Int64], ["", "&whole=1"])
    func noValidatorsChanged(size: Int64, whole: String) async throws {
        let fixture = try await DownloadFixture()
        let url = fixture.server.url("changing", size, "after=1&by=none&lm=none&etag=none\(whole)")
        var request = try fixture.request(url)
        _ = try await fixture.download(request, segments: 1)
        #expect(try await fixture.failure(request).code == .fileExists)
        try fixture.expectExact(size)
        request.ifExists = .rename
        #expect(try await fixture.download(request).outcome == .downloaded)
        try fixture.expectBytes(size, seed: 2, name: "file.1.bin")
        #expect(try await fixture.download(request).outcome == .unchanged)
        #expect(fixture.directory.names == ["file.1.bin", "file.bin"])
    }

    @Test("is another one once the server's file has changed")
    func changed() async throws {
        let fixture = try await DownloadFixture()
        let url = fixture.server.url("changing", Self.size, "after=1&by=all&whole=1")
        _ = try await fixture.download(fixture.request(url), segments: 1)
        #expect(try await fixture.failure(fixture.request(url)).code == .fileExists)
        try fixture.expectExact(Self.size)
        var request = try fixture.request(url)
        request.ifExists = .update
        #expect(try await fixture.download(request).outcome == .downloaded)
        #expect(
            try TestContent(seed: 1).firstMismatch(
                inFile: fixture.directory.file("file.bin"), length: Self.size) != nil)
    }

    @Test("is another one once its bytes have changed")
    func edited() async throws {
        let fixture = try await DownloadFixture()
        let request = try fixture.request(fixture.server.url("plain", 7))
        _ = try await fixture.download(request)
        try fixture.directory.write("1234567", to: "file.bin")
        #expect(try await fixture.failure(request).code == .fileExists)
        #expect(try fixture.directory.read("file.bin") == Array("1234567".utf8))
    }

    @Test("with the same name, length and date is another one if it was fetched from another URL")
    func otherURL() async throws {
        let fixture = try await DownloadFixture()
        _ = try await fixture.download(fixture.request(fixture.server.url("plain", Self.size, "etag=none")))
        let other = try fixture.request(fixture.server.url("plain", Self.size, "etag=none&seed=2"))
        #expect(try await fixture.failure(other).code == .fileExists)
        try fixture.expectExact(Self.size)
    }

    @Test("needs no request if it has the given digests")
    func digest() async throws {
        let fixture = try await DownloadFixture()
        let url = fixture.server.url("plain", Self.size)
        _ = try await fixture.download(fixture.request(url))
        let requests = try await fixture.server.requests().count
        let checksums = try await FileDigest.compute(
            [.md5, .sha256], of: fixture.directory.filePath("file.bin"))
        var request = try fixture.request(url)
        request.checksums = checksums
        let result = try await fixture.download(request)
        #expect(result.outcome == .unchanged && result.verified == checksums)
        #expect(try await fixture.server.requests().count == requests)
    }

    @Test("is not skipped if it contradicts the length or a digest")
    func contradicted() async throws {
        let fixture = try await DownloadFixture()
        try fixture.directory.write("stump", to: "file.bin")
        var request = try fixture.request(fixture.server.url("plain", Self.size))
        request.ifExists = .skip
        #expect(try await fixture.failure(request).code == .lengthMismatch)
        request = try fixture.request(fixture.server.url("plain", 5))
        request.ifExists = .skip
        #expect(try await fixture.download(request).outcome == .skipped)
        request.checksums = [try Checksum(.md5, String(repeating: "0", count: 32))]
        #expect(try await fixture.failure(request).code == .checksumMismatch)
        #expect(try fixture.directory.read("file.bin") == Array("stump".utf8))
    }

    @Test("is fetched again from the first byte on request")
    func startsOver() async throws {
        let fixture = try await DownloadFixture()
        var request = try fixture.request(fixture.server.url("plain", Self.size))
        _ = try await fixture.download(request)
        request.startsOver = true
        #expect(try await fixture.failure(request).code == .fileExists)
        request.ifExists = .replace
        #expect(try await fixture.download(request).bytesWritten == Self.size)
    }

    @Test("gets the date of the server's file unless disabled")
    func date() async throws {
        let fixture = try await DownloadFixture()
        var request = try fixture.request(fixture.server.url("plain", Self.size))
        _ = try await fixture.download(request)
        let path = fixture.directory.filePath("file.bin")
        #expect(try SystemCalls.status(path).modified == 1_735_689_600_000_000_000)
        request.keepsRemoteDate = false
        request.startsOver = true
        request.ifExists = .replace
        _ = try await fixture.download(request)
        #expect(try SystemCalls.status(path).modified > 1_735_689_600_000_000_000)
        request.startsOver = false
        #expect(try await fixture.download(request).outcome == .unchanged)
    }

    @Test("keeps the permissions of the file that it replaces", arguments: [5_000, 3_000_000] as [Int64])
    func permissions(size: Int64) async throws {
        let fixture = try await DownloadFixture()
        for policy in [ExistingFilePolicy.replace, .update] {
            try fixture.directory.write("older", to: "file.bin")
            let path = fixture.directory.file("file.bin")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            // Older than the server's file.
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: path)
            var request = try fixture.request(fixture.server.url("plain", size))
            request.ifExists = policy
            #expect(try await fixture.download(request).outcome == .downloaded)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(policy)")
            try fixture.expectExact(size)
        }
    }

    @Test("is published only if it has all given digests")
    func allDigests() async throws {
        let fixture = try await DownloadFixture()
        let bytes = TestContent(seed: 1).bytes(0..<Self.size)
        var request = try fixture.request(fixture.server.url("plain", Self.size))
        let wrong = try Checksum(.md5, String(repeating: "0", count: 32))
        request.checksums = [try Checksum(.sha256, Digest.sha256(bytes)), wrong]
        #expect(try await fixture.failure(request).code == .checksumMismatch)
        fixture.expectNoFinalFile()
        request.checksums = [wrong, try Checksum(.md5, String(repeating: "1", count: 32))]
        #expect(try await fixture.failure(request).code == .invalidSetting)
    }

    @Test(
        "that another program began is resumed", arguments: ["file.bin", "file.bin.part"],
        [0, 1, 250_000, size])
    func takenOver(name: String, length: Int64) async throws {
        let fixture = try await DownloadFixture()
        try TestContent(seed: 1).write(to: fixture.directory.file(name), length: length)
        var request = try fixture.request(fixture.server.url("plain", Self.size))
        request.takesOver = true
        let result = try await fixture.download(request)
        #expect(result.outcome == .downloaded && result.bytesWritten == Self.size - length)
        try fixture.expectExact(Self.size)
    }

    @Test(
        "that is empty is resumed from servers without ranges or lengths",
        arguments: ["no-ranges", "chunked"])
    func emptyTakenOver(behaviour: String) async throws {
        let fixture = try await DownloadFixture()
        try fixture.directory.write("", to: "file.bin")
        var request = try fixture.request(fixture.server.url(behaviour, Self.size))
        request.takesOver = true
        #expect(try await fixture.download(request).outcome == .downloaded)
        try fixture.expectExact(Self.size)
    }

    @Test(
        "that another program began is left unchanged if it is not the beginning of the file",
        arguments: ["file.bin", "file.bin.part"])
    func notTakenOver(name: String) async throws {
        let fixture = try await DownloadFixture()
        for (seed, length, query) in [(2, 250_000, ""), (1, Self.size + 1, ""), (1, 250_000, "whole")]
            as [(UInt64, Int64, String)]
        {
            try TestContent(seed: seed).write(to: fixture.directory.file(name), length: length)
            var request = try fixture.request(
                fixture.server.url(query.isEmpty ? "plain" : "no-ranges", Self.size))
            request.takesOver = true
            #expect([.badPath, .fileExists].contains(try await fixture.failure(request).code))
            #expect(fixture.directory.names == [name])
            try fixture.expectBytes(length, seed: seed, name: name)
        }
    }

    @Test(
        "that is not the beginning of the file is replaced or renamed if the caller says so",
        arguments: [.replace, .update, .rename] as [ExistingFilePolicy], ["plain", "no-ranges"])
    func replacedInstead(policy: ExistingFilePolicy, behaviour: String) async throws {
        let fixture = try await DownloadFixture()
        try TestContent(seed: 2).write(to: fixture.directory.file("file.bin"), length: 250_000)
        var request = try fixture.request(fixture.server.url(behaviour, Self.size))
        (request.takesOver, request.ifExists) = (true, policy)
        #expect(try await fixture.download(request).bytesWritten == Self.size)
        if policy == .rename {
            #expect(fixture.directory.names == ["file.1.bin", "file.bin"])
            try fixture.expectBytes(250_000, seed: 2, name: "file.bin")
            try fixture.expectBytes(Self.size, seed: 1, name: "file.1.bin")
        } else {
            try fixture.expectExact(Self.size)
            #expect(fixture.directory.names == ["file.bin"])
        }
    }

    @Test("that another program preallocated beyond the received bytes is filled")
    func holes() async throws {
        let fixture = try await DownloadFixture()
        let size: Int64 = 4_000_000
        var bytes = TestContent(seed: 1).bytes(0..<size)
        for hole in [700_001..<900_000, 2_000_000..<2_131_072, 3_980_000..<4_000_000] {
            bytes.replaceSubrange(hole, with: repeatElement(0, count: hole.count))
        }
        try Data(bytes).write(to: URL(fileURLWithPath: fixture.directory.file("file.bin")))
        var request = try fixture.request(fixture.server.url("plain", size))
        request.takesOver = true
        let result = try await fixture.download(request)
        #expect(result.bytesWritten < size / 4)
        try fixture.expectExact(size)
    }
}
