import Foundation
import SegmentedDL
import SystemPackage

/// The command that follows a complete file.
enum CompletionCommand {
    /// Runs a command with the shell, its output on standard error, and returns when it has succeeded.
    ///
    /// - Throws: `DownloadError` with code `completionFailed`; `CancellationError` if the task was cancelled, which terminates the command.
    static func run(_ command: String, path: FilePath?, url: String, size: Int64) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        var environment = ProcessInfo.processInfo.environment
        environment["SEGDL_PATH"] = path?.string
        environment["SEGDL_URL"] = url
        environment["SEGDL_SIZE"] = "\(size)"
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        // Results of ours go to standard output, which the command must not disturb.
        process.standardOutput = FileHandle.standardError
        let ending = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            let isSignal = process.terminationReason == .uncaughtSignal
            ending.continuation.yield(isSignal ? 128 + process.terminationStatus : process.terminationStatus)
            ending.continuation.finish()
        }
        do {
            try process.run()
        } catch {
            throw failure(command, path, "it cannot be started (\(error))")
        }
        let id = process.processIdentifier
        let status = await withTaskCancellationHandler {
            await ending.stream.first { _ in true }
        } onCancel: {
            kill(id, SIGTERM)
        }
        try Task.checkCancellation()
        guard status == 0 else { throw failure(command, path, "it exited with \(status ?? -1)") }
    }

    private static func failure(_ command: String, _ path: FilePath?, _ what: String) -> DownloadError {
        DownloadError(
            .completionFailed, "'\(path ?? "")' is complete, but '\(command)' failed: \(what).")
    }
}
