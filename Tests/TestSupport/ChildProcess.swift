import Foundation
import SegmentedDLSupport

/// A program started by a test: its output, its end, and signals to it.
public final class ChildProcess: Sendable {
    private let process: Spawned
    private let input: Pipe
    private let output: Collector
    private let errors: Collector
    private let ended: Ended

    /// The end of the program.
    public struct Result: Sendable {
        /// The exit status; `nil` if a signal ended it.
        public var status: Int32?
        public var signal: Int32?
        public var output: String
        public var errors: String
    }

    /// - Parameters:
    ///   - keepsInputOpen: True to keep standard input open until the process is released.
    public init(
        _ executable: String, _ arguments: [String], directory: String? = nil,
        environment: [String: String] = [:], input text: String? = nil, keepsInputOpen: Bool = false
    ) throws {
        let (input, output, errors, ended) = (Pipe(), Collector(), Collector(), Ended())
        process = try Spawned(
            executable, arguments, directory: directory,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            files: [
                input.fileHandleForReading.fileDescriptor, output.pipe.fileHandleForWriting.fileDescriptor,
                errors.pipe.fileHandleForWriting.fileDescriptor,
            ],
            ended: { ended.set() })
        (self.input, self.output, self.errors, self.ended) = (input, output, errors, ended)
        try? input.fileHandleForReading.close()
        output.start()
        errors.start()
        if let text { input.fileHandleForWriting.write(Data(text.utf8)) }
        if !keepsInputOpen { try? input.fileHandleForWriting.close() }
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.send(SIGKILL)
    }

    public var id: Int32 { process.id }

    public var isRunning: Bool { process.isRunning }

    /// The number of times that its current threads have blocked (proc(5), `voluntary_ctxt_switches`).
    public var sleeps: Int {
        let tasks = "/proc/\(id)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        return threads.reduce(0) { sum, thread in
            let status = (try? String(contentsOfFile: "\(tasks)/\(thread)/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
            return sum + (line?.split(separator: "\t").last.flatMap { Int($0) } ?? 0)
        }
    }

    /// Has no effect once it has ended.
    public func send(_ signal: Int32) { process.send(signal) }

    /// Waits for its end.
    public func result() async -> Result {
        await ended.wait()
        let ending = process.ending
        return Result(
            status: ending?.status, signal: ending?.signal, output: await output.text(),
            errors: await errors.text())
    }

    /// Waits for a whole line on standard output, and returns it.
    public func firstLine() async -> String? { await output.firstLine() }

    /// Writes to standard input, which must have been kept open.
    public func type(_ text: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }

    public func closeInput() { try? input.fileHandleForWriting.close() }
}

/// A flag that tasks can await.
private final class Ended: Sendable {
    private let state = Lock<(isSet: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    func set() {
        let waiting = state.withLock { state in
            state.isSet = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isSet = state.withLock { state in
                if !state.isSet { state.waiting.append(continuation) }
                return state.isSet
            }
            if isSet { continuation.resume() }
        }
    }
}

/// Reads a pipe to its end on a separate thread.
private final class Collector: @unchecked Sendable {
    let pipe = Pipe()
    private let bytes = Lock<Data>(Data())
    private let line = Ended()
    private let end = Ended()

    func start() {
        let handle = pipe.fileHandleForReading
        try? pipe.fileHandleForWriting.close()
        Thread.detachNewThread { [self] in
            while true {
                let data = handle.availableData
                if data.isEmpty { break }
                bytes.withLock { $0.append(data) }
                if data.contains(0x0a) { line.set() }
            }
            line.set()
            end.set()
        }
    }

    func text() async -> String {
        await end.wait()
        return bytes.withLock { String(decoding: $0, as: UTF8.self) }
    }

    func firstLine() async -> String? {
        await line.wait()
        return bytes.withLock { String(decoding: $0, as: UTF8.self) }.split(separator: "\n").first.map(
            String.init)
    }
}
