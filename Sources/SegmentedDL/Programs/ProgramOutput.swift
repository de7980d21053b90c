internal import SegmentedDLSupport
internal import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The output of a program.
package enum ProgramOutput {
    /// The maximum number of bytes to read.
    private static let most = 65_536
    /// The maximum duration in seconds.
    package static let usualSeconds = 60.0
    /// The number of seconds after which a program counts as slow.
    package static let slowSeconds = 5.0

    /// Runs a shell command and returns its output. Standard error is inherited.
    ///
    /// - Parameters:
    ///   - arguments: The values of `$1`, `$2` and so on.
    ///   - seconds: The maximum duration.
    ///   - slowSeconds: The seconds after which `whenSlow` is called if the program has not ended.
    ///   - whenSlow: Called at most once, on another thread.
    /// - Throws: `DownloadError` if it does not succeed, prints too much, or takes longer than `seconds`, and
    ///   `CancellationError` if the task was cancelled. In both cases, it is killed with all of its children.
    package static func read(
        _ command: String, arguments: [String] = [], within seconds: Double = Self.usualSeconds,
        slowAfter slowSeconds: Double = Self.slowSeconds, whenSlow: @escaping @Sendable () -> Void = {}
    ) async throws -> [UInt8] {
        let state = Lock((id: nil as pid_t?, isCancelled: false))
        let times = (end: seconds, slow: slowSeconds)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                BlockingThreads.waiting.run {
                    continuation.resume(
                        returning: Result {
                            try run(
                                ["/bin/sh", "-c", command, "sh"] + arguments, times, whenSlow: whenSlow
                            ) { id in
                                state.withLock { state in
                                    state.id = id
                                    if let id, state.isCancelled { ProcessGroup.end(id) }
                                }
                            }
                        })
                }
            }
        } onCancel: {
            state.withLock { state in
                state.isCancelled = true
                if let id = state.id { ProcessGroup.end(id) }
            }
        }
        try Task.checkCancellation()
        return try result.get()
    }

    /// - Parameters:
    ///   - seconds: The seconds after which it is ended, and after which `whenSlow` is called.
    ///   - running: Receives the id of the process, and `nil` before it is reaped.
    private static func run(
        _ command: [String], _ seconds: (end: Double, slow: Double), whenSlow: () -> Void,
        running: (pid_t?) -> Void
    ) throws -> [UInt8] {
        let pipe = try FileDescriptor.pipe()
        defer { try? pipe.readEnd.close() }
        let id: pid_t
        do {
            // Other programs that start now must not inherit the pipe.
            for end in [pipe.readEnd, pipe.writeEnd] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
            defer { try? pipe.writeEnd.close() }
            id = try ProcessGroup.start(command, output: .descriptor(pipe.writeEnd.rawValue))
        } catch {
            throw DownloadError(.invalidSetting, "it cannot be started (\(error)).")
        }
        running(id)
        let bytes = Result { try read(pipe.readEnd, seconds, whenSlow: whenSlow) }
        running(nil)
        if case .failure = bytes { ProcessGroup.end(id) }
        let status = ProcessGroup.wait(for: id).status
        let printed = try bytes.get()
        guard status == 0 else { throw DownloadError(.invalidSetting, "it exited with \(status).") }
        return printed
    }

    private static func read(
        _ file: FileDescriptor, _ seconds: (end: Double, slow: Double), whenSlow: () -> Void
    ) throws -> [UInt8] {
        let began = Monotonic.now()
        var isSlow = false
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let duration = Monotonic.now() - began
            guard duration < seconds.end else { throw DownloadError(.invalidSetting, "it timed out.") }
            if !isSlow, duration >= seconds.slow {
                isSlow = true
                whenSlow()
            }
            let left = (isSlow ? seconds.end : min(seconds.slow, seconds.end)) - duration
            var wanted = pollfd(fd: file.rawValue, events: Int16(POLLIN), revents: 0)
            guard poll(&wanted, 1, Int32(left * 1000) + 1) > 0 else { continue }
            let count = try file.read(into: buffer)
            guard count > 0 else { return bytes }
            bytes.append(contentsOf: buffer[..<count])
            guard bytes.count <= most else {
                throw DownloadError(.invalidSetting, "it printed more than \(most) bytes.")
            }
        }
    }
}
