import CSegSystem
import SystemPackage

/// The threads that this process can start.
enum ThreadSupply {
    /// The minimum number of threads for Swift's tasks, the network and the disk.
    private static let needed: Int32 = 9

    /// A sentence for a system that starts too few threads; `nil` if it starts enough. Without them each task
    /// would wait forever.
    ///
    /// The system may refuse all of them, for example by a system call filter that does not know clone3(2),
    /// or those beyond a limit, which is examined more closely only if it is low, because threads take time.
    static var fault: String? {
        let error = seg_try_threads(seg_process_limit() < 1000 ? needed : 1)
        return error == 0 ? nil : sentence(Errno(rawValue: error))
    }

    static func sentence(_ error: Errno) -> String {
        let remedy =
            error == .resourceTemporarilyUnavailable
            ? "it needs \(needed): raise the limit (ulimit -u, docker run --pids-limit)"
            : "a system call filter refuses them: update Docker and libseccomp, or run with --security-opt seccomp=unconfined"
        return "The system cannot start another thread for this process (\(error)); \(remedy)."
    }
}
