import ArgumentParser
import SegmentedDL
import SystemPackage

struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check files that are already there against their digests.",
        discussion: """
            A list of checksums (as of sha256sum or BSD's sha256), or a mirror's proof in JSON lines, is checked file \
            by file, names relative to the list. Another file is checked against --checksum; without one its digest is printed, in the form of \
            such a list.

            Examples:
              segdl verify SHA256SUMS
              segdl verify copy/segdl-mirror.jsonl
              segdl verify -d copy proofs/SHA256SUMS
              segdl verify --checksum sha256=9f86… disk.iso
              segdl verify *.iso > SHA256SUMS
            """)

    @Argument(help: ArgumentHelp("Files, or lists of checksums.", valueName: "file"), completion: .file())
    var files: [String]

    @Option(
        help: ArgumentHelp("The digest that the one file named must have.", valueName: "algo=hex"),
        transform: FileOptions.checksum)
    var checksum: Checksum?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "What a list's names are relative to (default: the list's directory).", valueName: "dir"),
        completion: .directory)
    var directory: String?

    @Option(help: "Which digest is printed for a file that is no list.")
    var algorithm = Checksum.Algorithm.sha256

    @OptionGroup(title: "Output") var report: ReportOptions

    func validate() throws {
        if checksum != nil, files.count != 1 {
            throw ValidationError("--checksum is for exactly one file.")
        }
    }

    mutating func run() async throws {
        Signals.ignoreFailedWrites()
        let items = files.flatMap { [checksum, algorithm, directory] in
            VerifyItem.items(for: $0, checksum: checksum, algorithm: algorithm, in: directory)
        }
        let run = VerifyRun(printsDigests: report.progress != .json)
        let renderer = report.makeRenderer()
        let work = Task { await run.carryOut(items, with: renderer) }
        let signals = Signals { work.cancel() }
        let statuses = await work.value
        let status =
            signals.exitStatus ?? (statuses.count == 1 ? statuses[0] : statuses.contains { $0 != 0 } ? 1 : 0)
        if status != 0 { throw ExitCode(status) }
    }
}
