import ArgumentParser
import SegmentedDL
import SegmentedDLDatabase

extension ParsableCommand {
    /// Runs the body of a command and ends the command with the exit status that it returns. If the command
    /// succeeded but could not write its output for programs, the status is 5.
    func end(withStatusOf body: () async throws -> Int32) async throws {
        var status = try await endingOnErrors(body)
        if status == 0, TextOutput.standardOutput.hasFailed { status = 5 }
        if status != 0 { throw ExitCode(status) }
    }
}

/// Runs `body`. An error of the library or a database is reported, and ends the command with its exit status.
func endingOnErrors<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
        return try await body()
    } catch let error as DownloadError {
        StandardError.write("segdl: \(error.commandMessage)\n")
        throw ExitCode(error.exitStatus)
    } catch let error as DatabaseError {
        StandardError.write("segdl: The daemon's store next to the queue cannot be used: \(error)\n")
        throw ExitCode(5)
    }
}
