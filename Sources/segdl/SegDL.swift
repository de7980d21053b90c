import ArgumentParser
import CSegSystem
import SegmentedDL

@main
struct SegDL: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "segdl",
        abstract: "Download files in parallel segments, and resume after anything.",
        discussion: """
            Exit status: 0 complete; 1 several files, and some failed; 2 network; 3 the server refused; \
            4 wrong content; 5 disk; 6 locked by another process; 7 the file is complete, but --on-complete \
            failed; 64 usage; 130 and 143 interrupted and \
            terminated: run it again to resume.

            segdl aria2c ARGUMENTS accepts aria2's command line, as does a link to segdl named aria2c.

            ~/.config/segdl/config may contain long options, one per line: limit-rate = 20MiB. --conf FILE \
            selects another file. SEGDL_OPTIONS may contain options as on the command line, which takes precedence. With \
            --no-conf, both are ignored.

            segdl --generate-completion-script bash (or zsh, fish) prints completions for the shell.
            """,
        version: "segdl \(Version.current) (libcurl \(Version.libcurl), \(Version.openSSL))",
        // Each subcommand specifies its name, because deriving it from the type takes the parser half a
        // millisecond.
        subcommands: NamedCommand.main + [Doctor.self])

    static func main() async {
        guard seg_widen_stacks() != 0 else { return await start() }
        // The limit cannot be raised, but the stacks of the other threads do not depend on it.
        await withTaskGroup { $0.addTask { await start() } }
    }

    private static func start() async {
        seg_share_memory()
        StandardDescriptors.openMissing()
        Signals.endAtQuit()
        if let fault = ThreadSupply.fault {
            StandardError.write("segdl: \(fault)\n")
            endProcess(DownloadError(.connectionFailed, fault).exitStatus)
        }
        // Read the arguments before they are hidden, because the standard library reads them from the same
        // memory.
        let arguments = ProcessArguments.withoutName
        ProcessTitle.hideSecrets()
        if let unreadable = ProcessArguments.unreadable {
            StandardError.write(
                "segdl: '\(unreadable)' is not UTF-8, and would name another file; change into that directory, or choose another name.\n"
            )
            endProcess(ExitCode.validationFailure.rawValue)
        }
        if let own = Aria2Command.arguments(calledAs: ProcessArguments.name, arguments) {
            endProcess(await Aria2Command.run(own))
        }
        if let script = CompletionScript.answer(to: arguments, of: Self.self) {
            return TextOutput.standardOutput.write(script)
        }
        var meant = arguments
        do {
            let sources = try ArgumentSources(typed: arguments)
            meant = sources.arguments
            if let notice = sources.notice { StandardError.write("segdl: \(notice)\n") }
            var command = try await CommandParsing.parse(sources, root: Self.self)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let fault as UsageFault {
            StandardError.write("segdl: \(fault.reason)\n")
            Self.exit(withError: ExitCode.validationFailure)
        } catch  where exitCode(for: error) == .validationFailure && !(error is ExitCode) {
            StandardError.write(CommandParsing.fullMessage(for: error, meant, root: Self.self) + "\n")
            Self.exit(withError: ExitCode.validationFailure)
        } catch {
            if exitCode(for: error) == ExitCode(128 + SIGINT) { Interrupt.endIfItCame() }
            Self.exit(withError: error)
        }
    }

    private static let firstLines = """
        segdl URL                   downloads a file in parallel segments; run it again to resume
        segdl mirror URL DIRECTORY  downloads a tree of files; run it again to fetch what is new
        segdl serve                 runs a queue of downloads, with a page for your browser
        segdl --help shows all.

        """

    /// Fails without a subcommand, so that a script whose arguments were lost does not report success.
    func run() throws {
        StandardError.write(Terminal.isTerminal(2) ? Self.firstLines : Self.helpMessage())
        throw ExitCode.validationFailure
    }
}
