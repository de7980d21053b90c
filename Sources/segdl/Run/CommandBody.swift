import ArgumentParser
import SegmentedDL

extension ParsableCommand {
    /// Runs the body of a command and ends the command with the exit status that it returns, or with that of
    /// the library's error, which is written first.
    func end(withStatusOf body: () async throws -> Int32) async throws {
        do {
            let status = try await body()
            if status != 0 { throw ExitCode(status) }
        } catch let error as DownloadError {
            StandardError.write("segdl: \(error.message)\n")
            throw ExitCode(error.exitStatus)
        }
    }
}
