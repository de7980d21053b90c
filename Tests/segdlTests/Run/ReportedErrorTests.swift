import ArgumentParser
import SegmentedDL
import SystemPackage
import Testing

@testable import segdl

@Suite("Errors that end a command")
struct ReportedErrorTests {
    @Test("of the disk and of system calls are reported with a status of the disk")
    func disk() async throws {
        let errors: [any Error] = [
            StorageError(action: "write", path: "list", errno: .noSpace),
            StorageError(action: "write", path: "list", errno: .isDirectory), Errno.ioError,
        ]
        for error in errors {
            let known = try #require(DownloadError(reporting: error))
            #expect(known.exitStatus == 5 && !known.message.contains("StorageError"), "\(known)")
            await #expect(throws: ExitCode(5)) {
                try await endingOnErrors { () async throws -> Void in throw error }
            }
        }
    }

    @Test("of the disk are sentences wherever they are shown")
    func shown() {
        let error: any Error = StorageError(action: "write", path: "list", errno: .noSpace)
        #expect("\(error)" == (error as? StorageError)?.asDownloadError.message)
        guard case .failed(let message, _, _, _) = FileOutcome(error) else {
            Issue.record("It is not a failure.")
            return
        }
        #expect(message.hasPrefix("Cannot write 'list'"))
    }

    @Test("that belong to the command line are passed on")
    func others() async throws {
        #expect(DownloadError(reporting: ExitCode(3)) == nil)
        #expect(DownloadError(reporting: CancellationError()) == nil)
        await #expect(throws: ExitCode(3)) {
            try await endingOnErrors { () async throws -> Void in throw ExitCode(3) }
        }
    }
}
