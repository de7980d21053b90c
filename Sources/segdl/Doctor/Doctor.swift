import ArgumentParser

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Show the properties of this machine that affect downloads, and its problems.",
        discussion: """
            The output contains no secrets, so that you can paste them into an issue. A line with ! explains what to \
            do. Exit status: 0; 2 if HTTPS would fail; 5 if DIRECTORY cannot be written; 64 if the configuration \
            file or SEGDL_OPTIONS cannot be used.

            Example: segdl doctor /data
            """)

    @Argument(
        help: ArgumentHelp("The directory for downloads.", valueName: "directory"),
        completion: .directory)
    var directory = "."

    func run() async throws {
        try await end {
            var typed = ProcessArguments.withoutName
            var examination = Examination(directory: directory, variable: ProcessEnvironment.variable)
            examination.configuration = try ConfigurationFile.take(from: &typed)
            examination.optionsFault = await Self.faultOfOptions(examination.configuration)
            let report = examination.report()
            TextOutput.standardOutput.write(report.text)
            return report.status
        }
    }

    /// Returns the error in the stored options, as a download would report it.
    private static func faultOfOptions(_ file: ConfigurationFile) async -> String? {
        let choice: [String]
        switch file {
        case .usual: choice = []
        case .named(let name): choice = ["--conf", name]
        case .ignored: choice = ["--no-conf"]
        }
        do {
            let sources = try ArgumentSources(typed: choice + ["fetch", "http://localhost/"])
            _ = try await CommandParsing.parse(sources, root: Fetch.self)
            return nil
        } catch {
            return (error as? UsageFault)?.reason ?? Fetch.message(for: error)
        }
    }
}
