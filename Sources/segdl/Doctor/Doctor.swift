import ArgumentParser
import SegmentedDL
import SystemPackage

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Show what of this machine matters to downloads, and what is wrong with it.",
        discussion: """
            The lines hold no secrets, so that you can paste them into an issue. A line with ! says what to \
            do. Exit status: 0; 2 if HTTPS would fail; 5 if DIRECTORY cannot be written.

            Example: segdl doctor /data
            """)

    @Argument(
        help: ArgumentHelp("The directory that downloads go to.", valueName: "directory"),
        completion: .directory)
    var directory = "."

    func run() async throws {
        try await end {
            let report = Examination(directory: directory, variable: ProcessEnvironment.variable).report()
            TextOutput.standardOutput.write(report.text)
            return report.status
        }
    }
}
