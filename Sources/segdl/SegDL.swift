import ArgumentParser
import SegmentedDL

@main
struct SegDL: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "segdl",
        abstract: "Download files in parallel segments, and resume after anything.",
        discussion: """
            Exit status: 0 complete; 1 several files, and some failed; 2 network; 3 the server refused; \
            4 wrong content; 5 disk; 6 locked by another process; 64 usage; 130 and 143 interrupted and \
            terminated: run it again to resume.

            segdl aria2c ARGUMENTS takes aria2's command line, as does a link to segdl of the name aria2c.
            """,
        version: "segdl \(Version.current) (libcurl \(Version.libcurl), \(Version.openSSL))",
        // Each subcommand states its name, because otherwise the parser derives it from the type, which takes
        // half a millisecond.
        subcommands: [
            Fetch.self, MirrorCommand.self, Queue.self, Serve.self, Benchmark.self, Verify.self, Inspect.self,
        ])

    static func main() async {
        // Read the arguments before they are hidden: the standard library takes them from the same memory.
        let arguments = ProcessArguments.withoutName
        ProcessTitle.hideSecrets()
        if let own = Aria2Command.arguments(calledAs: ProcessArguments.name, arguments) {
            endProcess(await Aria2Command.run(own))
        }
        switch ArgumentTranslation.translate(arguments) {
        case .arguments(let own): await main(own)
        case .refused(let sentence):
            StandardError.write("segdl: \(sentence)\n")
            Self.exit(withError: ExitCode.validationFailure)
        }
    }

    /// Fails if there is no subcommand: a script whose arguments were lost must not take that for success.
    func run() throws {
        StandardError.write(Self.helpMessage())
        throw ExitCode.validationFailure
    }
}
