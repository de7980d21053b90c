import ArgumentParser
import SegmentedDL
import SegmentedDLDatabase
import SystemPackage

extension ParsableCommand {
    /// Runs the body of a command and ends the command with the exit status that it returns. If the command
    /// succeeded but could not write its output for programs, the status is 5.
    func end(withStatusOf body: () async throws -> Int32) async throws {
        var status = try await endingOnErrors(body)
        if status == 0, TextOutput.standardOutput.hasFailed { status = 5 }
        if status != 0 { throw ExitCode(status) }
    }
}

/// Runs `body`. An error of the library, a database or the disk is reported, and ends the command with its
/// exit status.
func endingOnErrors<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
        return try await body()
    } catch let error as DatabaseError {
        StandardError.write("segdl: The daemon's store next to the queue cannot be used: \(error)\n")
        throw ExitCode(5)
    } catch {
        guard let known = DownloadError(reporting: error) else { throw error }
        StandardError.write("segdl: \(known.commandMessage)\n")
        throw ExitCode(known.exitStatus)
    }
}

extension DownloadError {
    /// Creates the error to report for one of the library, of the disk or of a system call; `nil` for any
    /// other, such as an exit status.
    init?(reporting error: any Error) {
        switch error {
        case let error as DownloadError: self = error
        case let error as StorageError: self = error.asDownloadError
        case let error as Errno:
            self = DownloadError(.ioFailed, "A system call failed: \(error).", cause: error)
        default: return nil
        }
    }
}
