#if canImport(Glibc)
    package import Glibc
#elseif canImport(Musl)
    package import Musl
#else
    package import Darwin
#endif

/// Programs in separate process groups, so that one can be ended with all of its children.
package enum ProcessGroup {
    package struct CannotStart: Error, CustomStringConvertible {
        let status: Int32

        package var description: String { String(cString: strerror(status)) }
    }

    /// The destination of a program's standard output and standard error.
    package enum Output {
        /// Standard output goes to this file; standard error is discarded.
        case file(String)
        /// Standard output goes to this descriptor, standard error to this process's.
        case descriptor(Int32)
        /// Both go to this process's standard error.
        case standardError
    }

    /// Starts a program; its standard input is empty.
    ///
    /// - Parameters:
    ///   - command: The arguments, the program's path first.
    ///   - environment: `nil` for this process's.
    /// - Returns: The id of the process, and of its group.
    /// - Throws: `CannotStart`.
    package static func start(
        _ command: [String], environment: [String: String]? = nil, output: Output
    ) throws(CannotStart) -> pid_t {
        var actions: posix_spawn_file_actions_t = .init()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        switch output {
        case .file(let path):
            posix_spawn_file_actions_addopen(
                &actions, STDOUT_FILENO, path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        case .descriptor(let number):
            posix_spawn_file_actions_adddup2(&actions, number, STDOUT_FILENO)
        case .standardError:
            posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        }
        var attributes: posix_spawnattr_t = .init()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A thread that starts programs may have signals blocked, and this process ignores some. Reset both,
        // because the program would inherit them.
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        let flags = POSIX_SPAWN_SETPGROUP | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var arguments = Self.vector(command)
        defer { for argument in arguments { free(argument) } }
        var variables = Self.vector((environment ?? [:]).map { "\($0)=\($1)" })
        defer { for variable in variables { free(variable) } }
        var id: pid_t = 0
        let status =
            environment == nil
            ? posix_spawn(&id, command[0], &actions, &attributes, &arguments, environ)
            : posix_spawn(&id, command[0], &actions, &attributes, &arguments, &variables)
        guard status == 0 else { throw CannotStart(status: status) }
        return id
    }

    private static func vector(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { strdup($0) } + [nil]
    }

    /// Waits for a program to end. Blocks.
    ///
    /// - Returns: The exit status, 128 or more for a signal, and the resources it used.
    package static func wait(for id: pid_t) -> (status: Int32, usage: rusage) {
        var status: Int32 = 0
        var usage = rusage()
        while wait4(id, &status, 0, &usage) == -1, errno == EINTR {}
        let isExit = status & 0x7f == 0
        return (isExit ? (status >> 8) & 0xff : 128 + status & 0x7f, usage)
    }

    /// The time that a group has to end before it is killed.
    package static let patienceSeconds = 5.0

    /// Asks a whole group to terminate.
    package static func terminate(_ id: pid_t) {
        kill(-id, SIGTERM)
    }

    /// Kills a whole group. Its first process must not have been reaped yet: otherwise the id may
    /// belong to another group.
    package static func end(_ id: pid_t) {
        kill(-id, SIGKILL)
    }

    /// Waits for the other processes of a group whose first process has ended, and kills them after the
    /// timeout. Blocks.
    package static func waitForRest(of id: pid_t) {
        for _ in 0..<Int(patienceSeconds / 0.05) {
            guard kill(-id, 0) == 0 else { return }
            usleep(50_000)
        }
        end(id)
    }
}
