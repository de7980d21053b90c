import CSegSystem
import SystemPackage

/// The threads that this process may start.
enum ThreadSupply {
    /// The threads of Swift's tasks, of the network and of the disk, at least.
    private static let needed: Int32 = 9

    /// A sentence for a system that starts too few threads; `nil` if it starts enough. Without them each task
    /// would wait for ever.
    ///
    /// The system may refuse all of them, as a filter of system calls that does not know clone3(2), or those
    /// beyond a limit, which is looked at more closely only if it is low, because threads take time.
    static var fault: String? {
        let error = seg_try_threads(seg_process_limit() < 1000 ? needed : 1)
        return error == 0 ? nil : sentence(Errno(rawValue: error))
    }

    static func sentence(_ error: Errno) -> String {
        let remedy =
            error == .resourceTemporarilyUnavailable
            ? "it needs \(needed): raise the limit (ulimit -u, docker run --pids-limit)"
            : "a filter of system calls refuses them: update Docker and libseccomp, or run with --security-opt seccomp=unconfined"
        return "The system starts no further thread for this process (\(error)); \(remedy)."
    }
}
