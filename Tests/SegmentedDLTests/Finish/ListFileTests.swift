import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

@Suite("Lists that are written under a temporary name")
struct ListFileTests {
    private let directory: ScratchDirectory

    init() throws {
        directory = try ScratchDirectory()
    }

    private func write(_ text: String, to name: String) throws {
        let file = try ListFile(directory.file(name), isPrivate: true)
        try file.add(text.utf8)
        try file.finish()
    }

    private func link(_ name: String, to target: String) throws {
        try #require(directory.file(name).withPlatformString { symlink(target, $0) } == 0)
    }

    @Test("replace the target of a link, also through several links and a directory")
    func links() throws {
        try directory.makeDirectory("sub")
        try directory.write(Array("old".utf8), to: "sub/real")
        try link("sub/near", to: "real")
        try link("far", to: "sub/near")
        try write("new", to: "far")
        #expect(try directory.read("sub/real") == Array("new".utf8))
        #expect(try directory.file("far").linkTarget() == "sub/near")
        #expect(try directory.file("sub/near").linkTarget() == "real")
        #expect(try directory.names() == ["far", "sub"])
    }

    @Test("are written to a descriptor that the shell has opened, after what was written before")
    func inherited() throws {
        let opened = try FileDescriptor.open(
            directory.file("list"), .readWrite, options: [.create], permissions: .ownerReadWrite)
        defer { try? opened.close() }
        try opened.writeAll("first ".utf8)
        let file = try ListFile(FilePath("/dev/fd/\(opened.rawValue)"))
        try file.add("second ".utf8)
        try file.finish()
        try opened.writeAll("third".utf8)
        #expect(try directory.read("list") == Array("first second third".utf8))
        #expect(try directory.names() == ["list"])
    }

    @Test("create the missing target of a link")
    func dangling() throws {
        try link("list", to: "real")
        try write("new", to: "list")
        #expect(try directory.read("real") == Array("new".utf8))
        #expect(try directory.file("list").linkTarget() == "real")
    }

    @Test("refuse links in a circle, and a directory, before anything is written")
    func refused() throws {
        try link("a", to: "b")
        try link("b", to: "a")
        try directory.makeDirectory("sub")
        let refused: [(name: String, error: Errno)] = [
            ("a", .tooManySymbolicLinkLevels), ("sub", .isDirectory), (".", .isDirectory),
        ]
        for (name, code) in refused {
            let error = try #require(throws: StorageError.self) { _ = try ListFile(directory.file(name)) }
            #expect(error.errno == code && error.asDownloadError.code == .badPath, "\(name): \(error)")
        }
        #expect(try directory.names() == ["a", "b", "sub"])
    }

    @Test("are written into a pipe, which must have a reader")
    func pipe() throws {
        let pipe = directory.file("pipe")
        try #require(pipe.withPlatformString { mkfifo($0, 0o600) } == 0)
        let error = try #require(throws: StorageError.self) { _ = try ListFile(pipe) }
        #expect(error.errno == .noSuchAddressOrDevice)
        #expect(error.asDownloadError.message.contains("start the program that reads it"), "\(error)")

        let reader = try FileDescriptor.open(pipe, .readOnly, options: .nonBlocking)
        defer { try? reader.close() }
        try link("link", to: "pipe")
        try write("through", to: "link")
        #expect(try reader.readAll(atMost: 100) == Array("through".utf8))
        #expect(try SystemCalls.status(pipe).kind == .other)
        #expect(try directory.names() == ["link", "pipe"])
    }

    /// The number of the null device.
    private static let null: dev_t = 0x103

    /// False for users who cannot create devices, and where they cannot be opened.
    private static let hasDevices: Bool = {
        guard let directory = try? ScratchDirectory() else { return false }
        let path = directory.file("null")
        guard path.withPlatformString({ mknod($0, S_IFCHR | 0o600, Self.null) }) == 0,
            let file = try? FileDescriptor.open(path, .writeOnly)
        else { return false }
        try? file.close()
        return true
    }()

    @Test("leave a device in place", .enabled(if: hasDevices, "only root creates devices"))
    func device() throws {
        let path = directory.file("null")
        try #require(path.withPlatformString { mknod($0, S_IFCHR | 0o600, Self.null) } == 0)
        let before = try SystemCalls.status(path)
        try write("nothing", to: "null")
        #expect(try SystemCalls.status(path).inode == before.inode)
        #expect(try SystemCalls.status(path).kind == .other)
        #expect(try directory.names() == ["null"])
    }
}
