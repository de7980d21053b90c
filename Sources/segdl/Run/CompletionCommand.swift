import Dispatch
import SegmentedDL
internal import SegmentedDLQueue
import SegmentedDLSupport
import SystemPackage

/// The command to run after a file is complete.
enum CompletionCommand {
    /// Runs the command for a download of a queue, like `run`.
    static func run(_ command: String, for receipt: Receipt) async throws {
        try await run(
            command, path: receipt.claimedPath, url: receipt.source.url, size: receipt.bytesCompleted)
    }

    /// Runs a shell command with its output on standard error, and returns when it has succeeded.
    ///
    /// - Throws: `DownloadError` with code `completionFailed`; `CancellationError` if the task was cancelled,
    ///   which terminates the command and its child processes, and waits for their end.
    static func run(_ command: String, path: FilePath?, url: String, size: Int64) async throws {
        var environment = ProcessEnvironment.inherited
        environment["SEGDL_PATH"] = path?.string
        environment["SEGDL_URL"] = url
        environment["SEGDL_SIZE"] = "\(size)"
        let id: pid_t
        do {
            id = try ProcessGroup.start(
                ["/bin/sh", "-c", command], environment: environment, output: .standardError)
        } catch {
            throw failure(command, path, "it cannot be started (\(error))")
        }
        let state = Lock((isCancelled: false, isOver: false))
        let status = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                BlockingThreads.waiting.run {
                    let end = ProcessGroup.wait(for: id)
                    state.withLock { $0.isOver = true }
                    // Wait: otherwise the command of the next run could run concurrently on the same
                    // file.
                    if state.withLock({ $0.isCancelled }) { ProcessGroup.waitForRest(of: id) }
                    continuation.resume(returning: end.status)
                }
            }
        } onCancel: {
            state.withLock { $0.isCancelled = true }
            ProcessGroup.terminate(id)
            DispatchQueue.global().asyncAfter(deadline: .now() + ProcessGroup.patienceSeconds) {
                state.withLock { if !$0.isOver { ProcessGroup.end(id) } }
            }
        }
        try Task.checkCancellation()
        guard status == 0 else { throw failure(command, path, "it exited with \(status)") }
    }

    private static func failure(_ command: String, _ path: FilePath?, _ reason: String) -> DownloadError {
        DownloadError(
            .completionFailed, "'\(path ?? "")' is complete, but '\(command)' failed: \(reason).")
    }
}
