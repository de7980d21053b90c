import CSpawn
import Foundation
import SegmentedDLSupport

/// A process started by posix_spawn, and its end.
///
/// Not Foundation's Process: on Linux that lists the open files to close them, and reads beyond the end of
/// the list if more than 1,350 are open, as in a process that runs a hundred tests at once.
final class Spawned: Sendable {
    struct CannotStart: Error, CustomStringConvertible {
        let path: String
        let number: Int32

        var description: String { "\(path): \(String(cString: strerror(number)))" }
    }

    /// The end of a process.
    struct Ending: Sendable {
        /// The status from `waitpid`.
        private let bits: Int32

        init(bits: Int32) {
            self.bits = bits
        }

        /// The signal that ended it.
        var signal: Int32? { bits & 0x7f == 0 ? nil : bits & 0x7f }
        /// Its exit status.
        var status: Int32? { bits & 0x7f == 0 ? (bits >> 8) & 0xff : nil }
    }

    let id: pid_t
    private let state = Lock<Ending?>(nil)

    /// - Parameters:
    ///   - files: Its standard input, output and error. It inherits no other descriptors, and no ignored or
    ///     blocked signals.
    ///   - ended: Called at its end.
    /// - Throws: `CannotStart`.
    init(
        _ executable: String, _ arguments: [String], directory: String?, environment: [String: String],
        files: [Int32], ended: @escaping @Sendable () -> Void
    ) throws {
        var words = Self.vector([executable] + arguments)
        var variables = Self.vector(environment.map { "\($0)=\($1)" })
        defer { for word in words + variables { free(word) } }
        var id: pid_t = 0
        let number = seg_spawn(&id, executable, &words, &variables, files, directory)
        guard number == 0 else { throw CannotStart(path: executable, number: number) }
        self.id = id
        Thread.detachNewThread { [self] in
            wait()
            ended()
        }
    }

    private static func vector(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { strdup($0) } + [nil]
    }

    private func wait() {
        // Reap it only when no thread can send it a signal any longer: its number may then be another
        // process's.
        var info = siginfo_t()
        while waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) == -1, errno == EINTR {}
        state.withLock { ending in
            var bits: Int32 = 0
            while waitpid(id, &bits, 0) == -1, errno == EINTR {}
            ending = Ending(bits: bits)
        }
    }

    /// `nil` while it runs.
    var ending: Ending? { state.withLock { $0 } }

    var isRunning: Bool { ending == nil }

    /// Has no effect once it has ended.
    func send(_ signal: Int32) {
        state.withLock { ending in
            if ending == nil { kill(id, signal) }
        }
    }
}
