import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("The destination of a file")
struct DestinationChoiceTests {
    private let directory: ScratchDirectory

    init() throws {
        directory = try ScratchDirectory()
    }

    private func decide(_ name: String, _ policy: ExistingFilePolicy) throws -> DestinationChoice.Outcome {
        try DestinationChoice.decide(directory.file(name), policy: policy)
    }

    @Test("a free name is used, whatever the policy", arguments: ExistingFilePolicy.allCases)
    func free(policy: ExistingFilePolicy) throws {
        #expect(try decide("x", policy) == .proceed(directory.file("x")))
        #expect(try directory.names().isEmpty)
    }

    @Test("an existing name follows the policy")
    func taken() throws {
        try directory.write([1], to: "x.iso")
        let error = try #require(throws: DownloadError.self) { try decide("x.iso", .fail) }
        #expect(error.code == .fileExists)
        #expect(error.message.contains("x.iso"))
        #expect(try decide("x.iso", .replace) == .proceed(directory.file("x.iso")))
        #expect(try decide("x.iso", .rename) == .proceed(directory.file("x.1.iso")))
        #expect(try decide("x.iso", .skip) == .skip(directory.file("x.iso")))
        #expect(try directory.read("x.iso") == [1])
    }

    @Test("a symbolic link counts as existing, wherever it leads")
    func link() throws {
        try directory.makeLink("x", to: "nowhere")
        #expect(throws: DownloadError.self) { try decide("x", .fail) }
        #expect(try decide("x", .rename) == .proceed(directory.file("x.1")))
    }

    @Test(
        "the first free number is used",
        arguments: [
            ("a.iso", "a.3.iso"), ("a", "a.3"), ("a.tar.gz", "a.tar.3.gz"), (".hidden", ".hidden.3"),
        ])
    func freeName(name: String, expected: String) throws {
        let path = directory.file(name)
        let one = DestinationChoice.freeName(for: path)
        try directory.write([], to: try #require(one.lastComponent?.string))
        let two = DestinationChoice.freeName(for: path)
        #expect(two != one)
        try directory.makeDirectory(try #require(two.lastComponent?.string))
        #expect(DestinationChoice.freeName(for: path) == directory.file(expected))
    }

    @Test("a name of 255 bytes is used, one number later its stem is cut, and a longer one is refused")
    func longest() throws {
        let name = String(repeating: "n", count: 251) + ".iso"
        #expect(try decide(name, .fail) == .proceed(directory.file(name)))
        try directory.write([], to: name)
        let numbered = String(repeating: "n", count: 249) + ".1.iso"
        #expect(try decide(name, .rename) == .proceed(directory.file(numbered)))
        let long = try #require(throws: StorageError.self) { try decide("n" + name, .fail) }
        #expect(long.asDownloadError.code == .badPath)
    }

    @Test("a directory of that name is refused, whatever the policy", arguments: ExistingFilePolicy.allCases)
    func isDirectory(policy: ExistingFilePolicy) throws {
        try directory.makeDirectory("x")
        let error = try #require(throws: DownloadError.self) { try decide("x", policy) }
        #expect(error.code == .badPath)
    }

    @Test("a missing directory, or a file in its place, is refused")
    func parent() throws {
        let missing = try #require(throws: StorageError.self) { try decide("missing/x", .fail) }
        #expect(missing.asDownloadError.code == .badPath)
        try directory.write([], to: "file")
        let file = try #require(throws: (any Error).self) { try decide("file/x", .fail) }
        let code = (file as? DownloadError)?.code ?? (file as? StorageError)?.asDownloadError.code
        #expect(code == .badPath)
    }

    @Test(
        "a directory without write permission is refused",
        .enabled(if: getuid() != 0, "root may write everywhere"))
    func unwritable() throws {
        try directory.makeDirectory("closed")
        let mode = directory.file("closed").withPlatformString { chmod($0, 0o500) }
        try #require(mode == 0)
        let error = try #require(throws: StorageError.self) { try decide("closed/x", .fail) }
        #expect(error.asDownloadError.code == .permissionDenied)
    }

    @Test("directories are created with their parents, repeatedly")
    func makes() throws {
        let path = directory.file("a/b/c")
        try DestinationChoice.makeDirectory(path)
        #expect(directory.exists("a/b/c"))
        try DestinationChoice.makeDirectory(path)
        try DestinationChoice.makeDirectory(directory.path)
    }

    @Test("a file in the place of a directory is refused")
    func makesNot() throws {
        try directory.write([], to: "file")
        for name in ["file", "file/a"] {
            let error = try #require(throws: DownloadError.self) {
                try DestinationChoice.makeDirectory(directory.file(name))
            }
            #expect(error.code == .badPath)
        }
    }

    @Test("a bare name is in the current directory")
    func bareName() {
        #expect(FilePath("x").directory == ".")
        #expect(FilePath("a/x").directory == "a")
        #expect(FilePath("/x").directory == "/")
        #expect(FilePath("a/x").appendingToName(".part") == "a/x.part")
    }
}
