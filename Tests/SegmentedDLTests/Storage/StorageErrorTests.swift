import SystemPackage
import Testing

@testable import SegmentedDL

@Suite("File system errors as seen by a caller")
struct StorageErrorTests {
    static let table: [(Errno, DownloadError.Code, Bool)] = [
        (.noSpace, .diskFull, true), (Errno(rawValue: 122), .diskFull, true),
        (.permissionDenied, .permissionDenied, false),
        (.notPermitted, .permissionDenied, false), (.readOnlyFileSystem, .permissionDenied, false),
        (.isDirectory, .badPath, false), (.notDirectory, .badPath, false),
        (.fileNameTooLong, .badPath, false),
        (.noSuchFileOrDirectory, .badPath, false), (.tooManySymbolicLinkLevels, .badPath, false),
        (.ioError, .ioFailed, true), (.fileTooLarge, .ioFailed, false), (.tooManyOpenFiles, .ioFailed, true),
        (.brokenPipe, .ioFailed, false), (.badFileDescriptor, .ioFailed, false),
    ]

    @Test("each has a code, the path and a remedy", arguments: table)
    func codes(errno: Errno, code: DownloadError.Code, isRetryable: Bool) {
        let error = StorageError(action: "write", path: "/data/x.part", errno: errno).asDownloadError
        #expect(error.code == code)
        #expect(error.exitStatus == 5)
        #expect(error.isRetryable == isRetryable)
        let isParent = errno == .notDirectory
        let beginning = isParent ? "'/data' is not a directory; " : "Cannot write '/data/x.part': "
        #expect(error.message.hasPrefix(beginning), "\(error.message)")
        #expect(error.message.hasSuffix("."))
        #expect(!error.message.hasSuffix(".."))
        #expect(error.cause is StorageError)
    }

    @Test("the system's message is inside a sentence")
    func words() {
        let full = StorageError(action: "write", path: "x", errno: .noSpace).asDownloadError
        #expect(
            full.message == "Cannot write 'x': no space left on device; make room and run it again to resume."
        )
    }

    @Test("a file system without inodes is not full of bytes")
    func inodes() {
        var error = StorageError(action: "open", path: "x.part", errno: .noSpace)
        error.kept = .nothing
        error.lacksInodes = true
        #expect(
            error.asDownloadError.message
                == "Cannot open 'x.part': no space left on device; its file system has no room for more files (inodes): remove some, and run it again."
        )
        #expect(error.asDownloadError.code == .diskFull && error.asDownloadError.isRetryable)
        // The file system of the tests has inodes.
        #expect(!StorageError(ofCall: "open", path: "x.part", errno: .noSpace).lacksInodes)
    }

    @Test("state that the next run starts over if the server sends no ranges, and what is kept until then")
    func startsOver() {
        var error = StorageError(action: "write", path: "x.part", errno: .noSpace)
        error.kept = .useless(7)
        #expect(
            error.asDownloadError.message.hasSuffix(
                "make room and run it again: it starts from the beginning, because the server sends no byte ranges. Until then 'x.part' keeps 7 bytes, which will not be used."
            ))
        error.kept = .useless(0)
        #expect(error.asDownloadError.message.hasSuffix("byte ranges, and nothing is kept."))
        error.kept = .nothing
        #expect(error.asDownloadError.message.hasSuffix("make room and run it again."))
    }

    @Test(
        "name the characters that a file system may refuse, in a file's name and a directory's",
        arguments: ["open", "name", StorageError.makingDirectory])
    func refusedNames(action: String) {
        let error = StorageError(action: action, path: "tree/a:b", errno: .invalidArgument).asDownloadError
        #expect(error.code == .badPath && error.message.contains("may refuse names with ':'"), "\(error)")
        let other = StorageError(action: "write", path: "tree/a:b", errno: .invalidArgument).asDownloadError
        #expect(!other.message.contains("may refuse"), "\(other)")
    }

    @Test("a pipe without a reader is not a disk error")
    func brokenPipe() {
        let error = StorageError(action: "write to", path: "standard output", errno: .brokenPipe)
        #expect(
            error.asDownloadError.message
                == "Cannot write to 'standard output': broken pipe; the program that reads it has ended."
        )
    }

    @Test("a call's error number is kept with its action")
    func call() throws {
        let error = try #require(throws: StorageError.self) {
            try storageCall("open", "x") { throw Errno.permissionDenied }
        }
        #expect(error.action == "open")
        #expect(error.path == "x")
        #expect(error.errno == .permissionDenied)
        #expect(try storageCall("open", "x") { 5 } == 5)
    }
}
