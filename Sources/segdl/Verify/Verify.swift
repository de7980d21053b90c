import ArgumentParser
import SegmentedDL
import SystemPackage

struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check existing files against their digests.",
        discussion: """
            A list of checksums (as written by sha256sum or BSD's sha256), or a mirror's proof in JSON lines, is \
            checked file by file, with names relative to the list. Any other file is checked against --checksum; without \
            it, the file's digest is printed in the format of such a list.

            With --repair, the files are Metalinks: the files that they describe, next to them, are checked piece by \
            piece, and only wrong pieces are fetched.

            Examples:
              segdl verify SHA256SUMS
              segdl verify copy/segdl-mirror.jsonl
              segdl verify -d copy proofs/SHA256SUMS
              segdl verify --ignore-missing SHA256SUMS
              segdl verify --checksum sha256=9f86… disk.iso
              segdl verify *.iso > SHA256SUMS
              segdl verify --repair disk.iso.meta4
            """)

    @Argument(
        help: ArgumentHelp("Files, or lists of checksums; - is a list on standard input.", valueName: "file"),
        completion: .file())
    var files: [String] = []

    @Option(
        help: ArgumentHelp(
            "The expected digest of the file; without ALGO=, its length implies the algorithm.",
            valueName: "algo=hex"),
        transform: FileOptions.checksum)
    var checksum: [Checksum] = []

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The directory that the names in a list are relative to (default: that of the list).",
            valueName: "dir"),
        completion: .directory)
    var directory: String?

    @Flag(help: "Ignore files of a list that do not exist.")
    var ignoreMissing = false

    @Option(help: "The digest to print for a file that is not a list.")
    var algorithm = Checksum.Algorithm.sha256

    @Flag(help: "Fetch the wrong pieces of the files in Metalinks (.meta4).")
    var repair = false

    @OptionGroup(title: "Connections") var transport: TransportOptions
    @OptionGroup(title: "Output") var report: ReportOptions

    /// The files, or the list from a pipe.
    private var named: [String] { files.isEmpty ? ["-"] : files }

    func validate() throws {
        if files.isEmpty, repair || !checksum.isEmpty || Terminal.isTerminal(0) {
            throw ValidationError("Give a file, or a list of checksums.")
        }
        if let url = files.first(where: \.hasURLScheme) {
            throw ValidationError(
                "'\(url)' is a URL, but only existing files are checked. `segdl fetch --checksum ALGO=HEX URL` checks a file during the download, `segdl mirror URL DIR` all files of a list of checksums."
            )
        }
        if !checksum.isEmpty, repair { throw ValidationError("--checksum and --repair cannot be combined.") }
        if repair, let other = files.first(where: { !VerifyItem.isMetalink($0) }) {
            throw ValidationError(
                "'\(other)' is not a Metalink (.meta4 or .metalink). --repair needs one, because it lists the pieces and sources of a file."
            )
        }
        if ignoreMissing, repair || !checksum.isEmpty {
            throw ValidationError("--ignore-missing applies only to lists of checksums.")
        }
        if !checksum.isEmpty, files.count != 1 {
            throw ValidationError("--checksum requires exactly one file.")
        }
    }

    func run() async throws {
        Signals.ignoreFailedWrites()
        try await end {
            if repair { return try await repairFiles() }
            let items = try named.flatMap { name in
                let items = VerifyItem.items(
                    for: name, checksums: checksum, algorithm: algorithm, in: directory)
                guard ignoreMissing else { return items }
                let present = items.filter { !$0.isMissing }
                if present.isEmpty {
                    throw DownloadError(.badPath, "\(name): none of its files exist; nothing was checked.")
                }
                return present
            }
            let run = VerifyRun(printsDigests: report.progress != .json)
            return await run.run(items, with: report.makeRenderer(files: items.count))
        }
    }

    private func repairFiles() async throws -> Int32 {
        let session = Session(transport: transport, report: report)
        return try await session.withDownloader { downloader in
            let run = RepairRun(
                downloader: downloader, messages: session.messages, headers: transport.headers,
                directory: directory.map { FilePath($0) }, metalinks: files.map { FilePath($0) })
            return await run.run(with: report.makeRenderer())
        }
    }
}
