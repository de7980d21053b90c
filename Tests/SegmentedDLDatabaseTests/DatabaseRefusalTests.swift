import SegmentedDL
import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDLDatabase

@Suite("A database of another program, or a private one")
struct DatabaseRefusalTests {
    private let directory: ScratchDirectory
    private let path: FilePath

    private static let versions = [
        "CREATE TABLE thing (value ANY) STRICT", "ALTER TABLE thing ADD COLUMN size INTEGER",
    ]

    init() throws {
        directory = try ScratchDirectory()
        path = directory.file("data")
    }

    private func file(versions: Int) -> DatabaseFile {
        DatabaseFile(
            noun: "The list", kind: "list", consolation: "Nothing is lost.", size: .small,
            schema: Schema(applicationID: 77, versions: Array(Self.versions.prefix(versions))))
    }

    /// Opens the database, which must fail and change nothing.
    private func refusal(versions: Int) throws -> DownloadError? {
        let before = try directory.read("data")
        let error = #expect(throws: DownloadError.self) {
            try file(versions: versions).open(path, isDurable: true)
        }
        #expect(try directory.read("data") == before)
        return error
    }

    @Test("is refused and left unchanged if it is another program's")
    func foreign() throws {
        let theirs = try Database(path, .readWrite)
        try theirs.run("CREATE TABLE theirs (x)")
        theirs.close()
        let error = try refusal(versions: 1)
        #expect(error?.code == .badStore)
        #expect(error?.message.contains("another program's") == true)
    }

    @Test("is refused and left unchanged if it is of a newer version")
    func newer() throws {
        let (lock, database) = try file(versions: 2).open(path, isDurable: true)
        database.close()
        lock.release()
        let error = try refusal(versions: 1)
        #expect(error?.code == .badStore)
        #expect(error?.message.contains("newer version") == true)
    }

    @Test("is refused and left unchanged if one of its pages is damaged")
    func damaged() throws {
        let (lock, database) = try file(versions: 1).open(path, isDurable: true)
        for _ in 0..<100 {
            try database.execute(
                "INSERT INTO thing VALUES (?)", [Array(repeating: 7, count: 1000) as [UInt8]])
        }
        database.close()
        lock.release()
        var bytes = try directory.read("data")
        let page = bytes.count / 2 / 4096 * 4096
        bytes.replaceSubrange(page..<page + 4096, with: repeatElement(0xff, count: 4096))
        try directory.write(bytes, to: "data")
        let error = try refusal(versions: 1)
        #expect(error?.code == .badStore)
        #expect(error?.message.contains("is damaged") == true)
    }

    @Test("is readable only by its owner, and so are all files beside it")
    func isPrivate() async throws {
        let (lock, database) = try file(versions: 1).open(path, isDurable: true)
        try database.execute("INSERT INTO thing VALUES (1)")
        let names = try directory.names()
        #expect(names.contains("data") && names.contains("data-wal"))
        for name in names {
            let listed = try await ChildProcess("/bin/ls", ["-l", directory.file(name).string]).result()
            #expect(listed.output.hasPrefix("-rw-------"), "\(listed.output)")
        }
        database.close()
        lock.release()
    }
}
