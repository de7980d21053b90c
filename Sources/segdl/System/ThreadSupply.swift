import CSegSystem
import SystemPackage

/// The threads that this process can start.
enum ThreadSupply {
    /// The minimum number of threads for Swift's tasks, the network and the disk.
    private static let needed: Int32 = 9

    /// A message if the system allows too few threads, without which every task would wait forever; `nil` if
    /// it allows enough.
    ///
    /// The system may refuse all of them, for example because of a system call filter without clone3(2), or
    /// those beyond a limit. The number is tested only if the limit is low, because starting threads takes
    /// time.
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
