import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("The check of a list's files")
struct FileChecksTests {
    private static func line(_ content: String, _ name: String) -> String {
        "\(Digest.sha256(content.utf8))  \(name)\n"
    }

    private static func item(_ path: String, _ checksums: [Checksum]) throws -> MirrorItem {
        var item = try MirrorItem([Source("http://host/\(path)")], path: RelativePath(path))
        item.checksums = checksums
        return item
    }

    @Test("distinguishes correct, wrong, missing and unreadable files")
    func outcomes() async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("sub")
        try directory.write("right", to: "sub/right")
        try directory.write("wrong", to: "wrong")
        let list = ChecksumList(
            Self.line("right", "sub/right") + Self.line("other", "wrong") + Self.line("", "missing")
                + Self.line("", "sub"))
        var checks: [FileCheck] = []
        for try await check in list.checks(in: directory.filePath("")) { checks.append(check) }
        #expect(checks.map(\.entry) == list.entries)
        #expect(checks.map(\.isRight) == [true, false, false, false])
        #expect(checks.map(\.isMissing) == [false, false, true, false])
        #expect(checks[1].found?.hexadecimal == Digest.sha256("wrong".utf8))
        #expect(checks[3].error?.code == .badPath)
        #expect(checks[0].error == nil)
    }

    @Test("ends with the task that requests it")
    func cancelled() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("right", to: "right")
        let checks = ChecksumList(Self.line("right", "right")).checks(in: directory.filePath(""))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            for try await check in checks { Issue.record("\(check)") }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("described files are a list of their strongest digests; one without a digest is an error")
    func described() async throws {
        let md5 = try Checksum(.md5, String(repeating: "a", count: 32))
        let sha256 = try Checksum(.sha256, String(repeating: "b", count: 64))
        let (entries, feed) = AsyncStream.makeStream(of: MirrorEntry.self)
        feed.yield(.item(try Self.item("a/b", [md5, sha256])))
        feed.finish()
        let list = try await ChecksumList(entries)
        #expect(list.entries == [.init(name: "a/b", checksum: sha256)])

        let (others, more) = AsyncStream.makeStream(of: MirrorEntry.self)
        more.yield(.item(try Self.item("c", [])))
        more.finish()
        await #expect {
            _ = try await ChecksumList(others)
        } throws: {
            ($0 as? DownloadError)?.code == .invalidSetting
        }
    }
}
