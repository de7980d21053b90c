import ArgumentParser

struct MirrorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mirror",
        abstract: "Download many files as one job: a tree, a bucket, or a list.",
        subcommands: [MirrorStart.self, MirrorReportCommand.self], defaultSubcommand: MirrorStart.self,
        // The default subcommand answers requests for help.
        helpNames: [])
}
