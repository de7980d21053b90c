/// The arguments of this process.
enum ProcessArguments {
    /// The name by which the command was called.
    static var name: String { CommandLine.arguments.first ?? "" }

    /// The arguments behind the command's name.
    ///
    /// Swift's runtime searches for them before the environment in memory, and finds none if a preloaded
    /// library has changed the environment. The kernel still has them.
    static var withoutName: [String] {
        let known = CommandLine.arguments
        #if os(Linux)
            if known.count < 2, let text = try? TextFile.read("/proc/self/cmdline") { return parsed(text) }
        #endif
        return Array(known.dropFirst())
    }

    /// Returns the arguments behind the name in the text of `proc_pid_cmdline(5)`, where each ends with a
    /// zero byte.
    static func parsed(_ text: String) -> [String] {
        text.split(separator: "\0", omittingEmptySubsequences: false).dropFirst().dropLast().map {
            String($0)
        }
    }
}
