import ArgumentParser
import SegmentedDL
import SystemPackage

struct Benchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure segments against a single stream, and against other tools.",
        discussion: """
            Downloads the same file with each number of segments and with each tool found on this machine, \
            in turn and several times, and verifies every byte. Times are medians; all files are removed.

            Besides time and speed, the table shows: \(BenchTable.legend)

            Headers and credentials are also passed to the other tools as arguments, so they are visible in the process list.

            Examples:
              segdl bench https://host/disk.iso
              segdl bench --segments 1,8,auto --against curl,aria2c --runs 5 --report bench.html https://host/disk.iso
            """)

    @Argument(help: ArgumentHelp("The URL to download.", valueName: "url"))
    var url: String

    @OptionGroup var access: AccessOptions
    @OptionGroup var trust: TrustOptions

    @Option(name: .shortAndLong, help: ArgumentHelp("Numbers of segments.", valueName: "list"))
    var segments = "1,2,4,8,16,auto"

    @Option(name: .shortAndLong, help: "The number of runs of each.")
    var runs = 3

    @Option(
        help: ArgumentHelp(
            "The other tools to run, if they are installed, or none.", valueName: "list"))
    var against = "curl,aria2c,axel,wget2"

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The directory for the files during the measurement (default: the current one).",
            valueName: "directory"),
        completion: .directory)
    var directory = "."

    @Option(
        help:
            "What segdl's checkpoints survive: power is its default, process corresponds to the other tools.")
    var durability = Durability.process

    @Option(
        help: ArgumentHelp(
            "The digest of the file; without it, all downloads must agree.", valueName: "algo=hex"),
        transform: FileOptions.checksum)
    var checksum: Checksum?

    @Option(
        help: ArgumentHelp("Write a self-contained page with plots.", valueName: "file.html"),
        completion: .file())
    var report: String?

    @Flag(help: "JSON lines on standard output, one for each contender.")
    var json = false

    @Flag(name: .shortAndLong, help: "Do not report each run.")
    var quiet = false

    func validate() throws {
        guard runs >= 1 else { throw ValidationError("--runs must be 1 or more.") }
        try OutputPath.check([("--report", report)], besides: "The table of results")
        _ = try contenders()
    }

    func contenders() throws -> [Contender] {
        let counts = try segments.split(separator: ",").map { text in
            guard let option = SegmentOption(argument: String(text)) else {
                throw ValidationError("--segments needs numbers or auto, not '\(text)'.")
            }
            return option.count
        }
        let tools = try against.split(separator: ",").filter { $0 != "none" }.map { text in
            guard let tool = Contender.Tool(rawValue: String(text)) else {
                let known = Contender.Tool.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("--against accepts \(known), not '\(text)'.")
            }
            return tool
        }
        guard !counts.isEmpty || !tools.isEmpty else { throw ValidationError("There is nothing to measure.") }
        // The maximum number of segments in our runs, within the limits of the tools.
        let connections = min(16, counts.compactMap(\.number).max() ?? 8)
        return counts.map { Contender(kind: .segdl($0)) }
            + Contender.found(tools, connections: max(connections, 2))
    }

    func run() async throws {
        Signals.ignoreFailedWrites()
        let isQuiet = quiet
        try await end {
            let source = try Source(url)
            if !isQuiet { OmittedHeaders.tell(access.omittedHeaders) }
            try checkReport()
            let run = BenchRun(
                url: url, access: BenchAccess(access, trust), contenders: try contenders(), runs: runs,
                directory: directory,
                durability: durability, checksum: checksum
            ) { if !isQuiet { StandardError.write($0 + "\n") } }
            let results = try await Signals.interrupting { try await run.run() }
            try show(results, source)
            return results.contains { !$0.failures.isEmpty } ? 1 : 0
        }
    }

    /// Checks before the runs that the report can be written.
    private func checkReport() throws(DownloadError) {
        guard let report else { return }
        do {
            try FileDescriptor.open(
                FilePath(report), .writeOnly, options: [.create, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead]
            ).close()
        } catch {
            throw Self.unwritable(report, error)
        }
    }

    private static func unwritable(_ report: String, _ error: any Error) -> DownloadError {
        DownloadError(.badPath, "Cannot write the report '\(report)': \(error).")
    }

    private func show(_ results: [BenchResult], _ source: Source) throws(DownloadError) {
        if json {
            TextOutput.standardOutput.write(results.map(BenchJSON.line).joined())
        } else {
            let terminal = Terminal()
            let table = BenchTable(
                results: results, unicode: terminal.unicode, columns: Terminal.size(of: 1).columns)
            TextOutput.standardOutput.write(table.text)
        }
        if let report {
            let page = BenchPage(results: results, title: source.description, durability: durability)
            do {
                try TextFile.write(page.html, to: report)
            } catch {
                throw Self.unwritable(report, error)
            }
        }
    }
}
