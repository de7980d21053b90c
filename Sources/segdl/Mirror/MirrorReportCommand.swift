import ArgumentParser
import SegmentedDL
internal import SegmentedDLMirror
import SystemPackage

struct MirrorReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Merge the proofs of a mirror's shards, and list the missing files.",
        discussion: """
            DIR is the directory of the shards' proofs: the mirror's directory, or that of --proof. All shards may \
            share one, or each may have its own.

            The merged proof is the same as that of a single run. It is written if every shard processed the whole \
            source, even if files failed, like that of a single run.

            Exit status: 0 if every shard is complete; 1 if something is missing; each shard and file is listed.

            Examples:
              segdl mirror report copy
              segdl mirror report --proof copy/segdl-mirror.jsonl --sums copy/SHA256SUMS copy
              segdl mirror report node1/copy node2/copy node3/copy
            """,
        helpNames: [.short, .long])

    @Argument(
        help: ArgumentHelp("The directories of the shards' proofs.", valueName: "dir"), completion: .directory
    )
    var directories: [String]

    @Option(
        help: ArgumentHelp("Write the merged proof as JSON lines.", valueName: "file"), completion: .file())
    var proof: String?

    @Option(
        help: ArgumentHelp("Write the merged proof in the format of sha256sum.", valueName: "file"),
        completion: .file())
    var sums: String?

    @Option(help: "The number of shards, if DIR has proofs of several numbers of shards.")
    var shards: Int?

    @Flag(help: "As JSON lines.")
    var json = false

    func validate() throws {
        try OutputPath.check([("--proof", proof), ("--sums", sums)], besides: "The report")
    }

    func run() async throws {
        Signals.ignoreFailedWrites()
        var merge = ProofMerge(of: directories.map { FilePath($0) })
        merge.shards = shards
        merge.proof = proof.map { FilePath($0) }
        merge.sums = sums.map { FilePath($0) }
        try await end { [merge] in
            let report = try await merge.run()
            let output = MergeOutput(report: report)
            TextOutput.standardOutput.write(json ? output.lines : output.words)
            if !report.isSound, proof != nil || sums != nil {
                StandardError.write(
                    "segdl: no merged proof was written: "
                        + (report.conflicting > 0
                            ? "the shards' proofs contradict each other.\n"
                            : "not every shard processed the whole source.\n"))
            }
            return report.isComplete ? 0 : 1
        }
    }
}
