import Dispatch
import SegmentedDL
import SegmentedDLSupport

/// A program whose resource usage is measured.
enum MeasuredProcess {
    struct Cost: Sendable {
        var wallSeconds: Double
        /// CPU time, user and system.
        var cpuSeconds: Double
        /// Peak memory; 0 if the program ended before the first measurement.
        var memoryBytes: Int64
        /// The exit status; 128 or more for a signal.
        var status: Int32
    }

    /// - Parameter output: The file for its standard output. Its standard error is discarded.
    static func run(_ command: [String], output: String) async throws -> Cost {
        let began = ContinuousClock.now
        let id = try ProcessGroup.start(command, output: .file(output))
        // Ctrl-C does not reach its process group, so this process must end it.
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                BlockingThreads.waiting.run {
                    let peak = PeakMemory(of: id)
                    let (status, usage) = ProcessGroup.wait(for: id)
                    let wall = ByteFormat.seconds(ContinuousClock.now - began)
                    continuation.resume(
                        returning: Cost(
                            wallSeconds: wall, cpuSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime),
                            memoryBytes: peak.stop(usage), status: status))
                }
            }
        } onCancel: {
            ProcessGroup.terminate(id)
        }
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }
}

/// The peak memory of a process.
///
/// On Linux, `ru_maxrss` starts with the parent's memory, so a thread reads the memory of the process
/// instead.
private final class PeakMemory: Sendable {
    private let state = Lock<(peak: Int64, isOver: Bool)>((0, false))

    init(of id: pid_t) {
        #if os(Linux)
            DispatchQueue(label: "segdl.memory").async { [self] in
                while !state.withLock({ $0.isOver }) {
                    if let now = Self.highWater(of: id) { state.withLock { $0.peak = max($0.peak, now) } }
                    usleep(10_000)
                }
            }
        #endif
    }

    func stop(_ usage: rusage) -> Int64 {
        state.withLock { state in
            state.isOver = true
            #if os(Linux)
                return state.peak
            #else
                return Int64(usage.ru_maxrss)
            #endif
        }
    }

    private static func highWater(of id: pid_t) -> Int64? {
        guard let text = try? TextFile.read("/proc/\(id)/status"),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let kilobytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int64($0) }
            )
        else { return nil }
        return kilobytes * 1024
    }
}
