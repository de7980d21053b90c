import Foundation
import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("The part file")
struct PartFileTests {
    private let directory: ScratchDirectory

    init() throws {
        directory = try ScratchDirectory()
    }

    private func open(_ name: String = "x") throws -> PartFile {
        try PartFile(DownloadPaths(directory.file(name)))
    }

    private func write(_ text: String, to part: PartFile, at offset: Int64) throws {
        try Array(text.utf8).withUnsafeBytes { try part.write($0, at: offset) }
    }

    private func read(_ part: PartFile, _ count: Int, at offset: Int64) throws -> String {
        var bytes = [UInt8](repeating: 0, count: count)
        let got = try bytes.withUnsafeMutableBytes { try part.read(into: $0, at: offset) }
        return String(decoding: bytes.prefix(got), as: UTF8.self)
    }

    @Test("it is created if missing, and kept if it exists")
    func opens() throws {
        try directory.write(Array("kept".utf8), to: "y.part")
        #expect(try open("x").status().size == 0)
        #expect(try read(try open("y"), 10, at: 0) == "kept")
        #expect(try directory.names() == ["x.part", "y.part"])
    }

    @Test("bytes are written to their offsets")
    func writes() throws {
        let part = try open()
        try write("world", to: part, at: 6)
        try write("hello ", to: part, at: 0)
        #expect(try read(part, 100, at: 0) == "hello world")
        #expect(try read(part, 5, at: 6) == "world")
        #expect(try read(part, 5, at: 11) == "")
        try part.synchronize()
        #expect(try part.status().size == 11)
    }

    private let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))

    /// Returns the number of a file's pages in memory.
    private func residentPages(_ part: PartFile, length: Int) throws -> Int {
        let file = try FileDescriptor.open(part.path, .readOnly)
        defer { try? file.close() }
        let mapped = try #require(mmap(nil, length, PROT_READ, MAP_SHARED, file.rawValue, 0))
        defer { munmap(mapped, length) }
        var pages = [UInt8](repeating: 0, count: length / pageSize)
        try #require(mincore(mapped, length, &pages) == 0)
        return pages.count { $0 & 1 == 1 }
    }

    private var isInMemory: Bool {
        get throws {
            let mounts = try String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)
                .split(separator: "\n").map { $0.split(separator: " ") }
                .filter { directory.path.starts(with: FilePath(String($0[1]))) }
            return mounts.max { $0[1].count < $1[1].count }?[2] == "tmpfs"
        }
    }

    @Test(
        "one longer than memory is dropped from the page cache once on disk, unless it is to be read",
        arguments: [(true, false), (true, true), (false, false)])
    func forgetsPages(isLonger: Bool, isReadBack: Bool) throws {
        guard try !isInMemory else {
            print("not tested: the directory for temporary files is in memory itself (tmpfs)")
            return
        }
        let place = DownloadPaths(directory.file("x"))
        let length = 1 << 20
        let part = try PartFile(
            place.part, for: place.destination, memory: Int64(isLonger ? length - 1 : length))
        if isReadBack { part.willBeReadBack() }
        try part.preallocate(Int64(length))
        try write(String(repeating: "x", count: length), to: part, at: 0)
        #expect(try residentPages(part, length: length) == length / pageSize)
        try part.synchronize()
        #expect(try residentPages(part, length: length) == (isLonger && !isReadBack ? 0 : length / pageSize))
        #expect(try read(part, 3, at: Int64(length - 3)) == "xxx")
    }

    // MARK: SegmentedDLSupport

    @Test("a second download of the same file is refused with a clear error")
    func locked() throws {
        let part = try open()
        let error = try #require(throws: DownloadError.self) { try open() }
        #expect(error.code == .locked)
        #expect(error.exitStatus == 6)
        #expect(error.isRetryable)
        #expect(error.message.contains(directory.file("x").string))
        // Another name is not locked, and this one is free once the first has ended.
        #expect(throws: Never.self) { try open("y") }
        try write("a", to: part, at: 0)
    }

    @Test("the lock ends with the part file's owner")
    func unlocked() throws {
        do {
            let part = try open()
            try write("a", to: part, at: 0)
        }
        #expect(try read(try open(), 1, at: 0) == "a")
    }

    @Test("the lock ends even if a child process still has its descriptor")
    func inheritedLock() throws {
        let part = try open()
        let inherited = try part.descriptor.duplicate()
        defer { try? inherited.close() }
        part.close()
        #expect(throws: Never.self) { try open() }
    }

    @Test("after the locked file is renamed, its name can be used again")
    func renamed() throws {
        let first = try open()
        try write("first", to: first, at: 0)
        try SystemCalls.rename(first.path, to: directory.file("x"))
        let second = try open()
        #expect(try second.status().inode != first.status().inode)
        #expect(try second.status().size == 0)
        #expect(try read(first, 5, at: 0) == "first")
    }

    // MARK: Wrong kinds of file

    @Test("a directory in its place is refused")
    func directoryInPlace() throws {
        try directory.makeDirectory("x.part")
        let error = try #require(throws: StorageError.self) { try open() }
        #expect(error.asDownloadError.code == .badPath)
        #expect(error.asDownloadError.message.contains("x.part"))
    }

    @Test("a symbolic link is not followed, wherever it leads")
    func link() throws {
        try directory.write(Array("precious".utf8), to: "target")
        try directory.makeLink("x.part", to: "target")
        try directory.makeLink("y.part", to: "nowhere")
        for name in ["x", "y"] {
            let error = try #require(throws: StorageError.self) { try open(name) }
            #expect(error.asDownloadError.code == .badPath)
        }
        #expect(try directory.read("target") == Array("precious".utf8))
        #expect(!directory.exists("nowhere"))
    }

    @Test("a FIFO is refused, without waiting for its other end")
    func fifo() throws {
        let result = directory.file("x.part").withPlatformString { mkfifo($0, 0o600) }
        try #require(result == 0)
        let error = try #require(throws: DownloadError.self) { try open() }
        #expect(error.code == .badPath)
        #expect(error.message.contains("not a regular file"))
    }

    @Test("a missing directory is refused")
    func badPath() throws {
        let missing = try #require(throws: StorageError.self) { try open("missing/x") }
        #expect(missing.asDownloadError.code == .badPath)
    }

    // MARK: Length

    @Test(
        "preallocation extends it to the file's length", arguments: [0, 1, 4096, 1_000_003] as [Int64])
    func preallocates(length: Int64) throws {
        let part = try open()
        try part.preallocate(length)
        #expect(try part.status().size == length)
    }

    @Test("preallocation keeps existing bytes and truncates excess ones")
    func preallocatesAgain() throws {
        let part = try open()
        try write("hello world", to: part, at: 0)
        try part.preallocate(20)
        #expect(try read(part, 11, at: 0) == "hello world")
        #expect(try part.status().size == 20)
        try part.preallocate(5)
        #expect(try read(part, 100, at: 0) == "hello")
        try part.preallocate(0)
        #expect(try part.status().size == 0)
    }

    @Test("an impossible length is an error that says so")
    func impossible() throws {
        let part = try open()
        let error = try #require(throws: StorageError.self) { try part.preallocate(1 << 60) }
        #expect(error.asDownloadError.message.contains("reserve"))
    }

    @Test("it can be emptied, set aside and discarded")
    func ends() throws {
        let part = try open()
        try write("wrong", to: part, at: 0)
        let aside = try part.setAside()
        #expect(aside == directory.file("x.rejected"))
        #expect(try directory.names() == ["x.rejected"])
        #expect(try directory.read("x.rejected") == Array("wrong".utf8))
        let other = try open("y")
        try write("z", to: other, at: 0)
        try other.empty()
        #expect(try other.status().size == 0)
        try other.discard()
        #expect(!directory.exists("y.part"))
    }

    @Test(
        "a date beyond our range is stored as the latest",
        arguments: [9_223_372_037, 15_032_385_535])
    func lateDate(seconds: Int64) throws {
        try directory.write(Array("x".utf8), to: "late")
        let descriptor = try FileDescriptor.open(directory.file("late"), .readWrite)
        defer { try? descriptor.close() }
        _ = try SystemCalls.setModified(descriptor, seconds)
        let status = try SystemCalls.status(descriptor)
        // A file system with a smaller range of dates keeps its own maximum.
        #expect(status.modified == .max || status.modified / 1_000_000_000 < seconds)
    }
}
