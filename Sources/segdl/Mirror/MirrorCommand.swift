import ArgumentParser

struct MirrorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mirror",
        abstract: "Download many files as one job: a tree, a bucket, or a list.",
        subcommands: [MirrorStart.self, MirrorReportCommand.self], defaultSubcommand: MirrorStart.self,
        // Help is left to what is run without a subcommand.
        helpNames: [])
}
