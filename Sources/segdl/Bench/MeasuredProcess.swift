import Dispatch
import Foundation
internal import SegmentedDLQueue
import SegmentedDLSupport

/// Runs a program and measures what it costs.
enum MeasuredProcess {
    struct Cost: Sendable {
        /// Seconds from start to end.
        var wall: Double
        /// Seconds of processor time, its own and the system's for it.
        var cpu: Double
        /// Bytes of memory at the peak; 0 if it ended before anybody looked.
        var memory: Int64
        /// The exit status; 128 and more for a signal.
        var status: Int32
    }

    /// - Parameter output: The file that its standard output goes to; the other one goes nowhere.
    static func run(_ command: [String], output: String) async throws -> Cost {
        let began = ContinuousClock.now
        let id = try ProcessGroup.start(command, output: .file(output))
        // It has a process group of its own: Ctrl-C is for us to pass on.
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    let peak = PeakMemory(of: id)
                    let (status, usage) = ProcessGroup.wait(for: id)
                    let wall = ByteFormat.seconds(ContinuousClock.now - began)
                    continuation.resume(
                        returning: Cost(
                            wall: wall, cpu: seconds(usage.ru_utime) + seconds(usage.ru_stime),
                            memory: peak.stop(usage), status: status))
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

/// Watches how much memory a process has at most.
///
/// On Linux `ru_maxrss` begins with what the parent had, so the process itself is looked at.
private final class PeakMemory: Sendable {
    private let state = Lock<(peak: Int64, isOver: Bool)>((0, false))

    init(of id: pid_t) {
        #if os(Linux)
            Thread.detachNewThread { [self] in
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
