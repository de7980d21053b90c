import ArgumentParser
import SegmentedDL
import SystemPackage

struct QueueAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add downloads.",
        discussion: """
            A URL that is there already is not added twice; give it another --key to have it in two places. \
            Prints the number of each download. Headers and credentials are not stored: give them to start.
            """)

    @Argument(help: ArgumentHelp("What to download.", valueName: "url"))
    var urls: [String] = []

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("URLs from a file, one a line; - is standard input.", valueName: "file"),
        completion: .file())
    var input: String?

    @OptionGroup var location: QueueLocation

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The final name, for one URL.", valueName: "file"),
        completion: .file())
    var output: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Where files go; made if missing (default: here).", valueName: "directory"),
        completion: .directory)
    var directory: String?

    @Option(help: "How files are named: as the server says, by the URL, or by the URL's digest.")
    var naming = FileNaming.server

    @Option(help: ArgumentHelp("A name of your own for it, for one URL.", valueName: "name"))
    var key: String?

    @Option(
        help: ArgumentHelp(
            "The file gets its name only if it has this digest, for one URL.", valueName: "algo=hex"),
        transform: FileOptions.checksum)
    var checksum: Checksum?

    @Flag(help: "Do not verify the digest that the server sends with a file.")
    var noServerDigest = false

    @Option(help: "What to do when the final name exists.")
    var ifExists = ExistingFilePolicy.fail

    @Option(
        name: .shortAndLong, help: "Connections for one file: a number, or auto (default: as of start).")
    var segments: SegmentOption?

    @Option(help: "Higher goes first.")
    var priority = 0

    @Option(help: ArgumentHelp("Bytes per second for each file.", valueName: "rate"))
    var limitRate: ByteSize?

    @Option(
        help: ArgumentHelp(
            "Run by the shell when a file is complete, with SEGDL_PATH, SEGDL_URL and SEGDL_SIZE in its environment.",
            valueName: "command"))
    var onComplete: String?

    @Flag(help: "Before all others instead of behind them.")
    var front = false

    @Flag(help: "They wait to be resumed.")
    var paused = false

    func validate() throws {
        if urls.isEmpty, input == nil { throw ValidationError("Name a URL, or a list with --input.") }
        if output != nil || checksum != nil || key != nil, urls.count != 1 || input != nil {
            throw ValidationError("--output, --checksum and --key are for exactly one URL.")
        }
        if output != nil, directory != nil {
            throw ValidationError(
                "--output and --directory exclude each other; write the directory into --output.")
        }
        if output == "-" { throw ValidationError("A queue cannot write to standard output.") }
        if let limitRate, limitRate.bytes < 1 { throw ValidationError("--limit-rate wants 1 or more.") }
    }

    mutating func run() async throws {
        try await location.withClient { [self] client in
            var failures: [Answer.Failure] = []
            var downloads: [NewDownload] = []
            for entry in try ListedURL.all(urls, input: input) {
                switch entry {
                case .success(let url): downloads.append(try download(url))
                case .failure(let error): failures.append(Answer.Failure(error))
                }
            }
            var answer = try await client.send(.add(downloads, toFront: front))
            answer.failures = failures + answer.failures
            for receipt in answer.receipts where answer.known.contains(receipt.id) {
                StandardError.write(
                    "segdl: number \(receipt.id) is in the queue already (\(receipt.state)) and stays as it is; remove it first to change it.\n"
                )
            }
            try answer.report { "\($0.id)\t\($0.source)" }
        }
    }

    private func download(_ url: String) throws(DownloadError) -> NewDownload {
        let destination: DownloadRequest.Destination =
            output.map { .file(FilePath($0)) } ?? .directory(FilePath(directory ?? "."))
        return NewDownload(
            url: url, destination: try destination.absolute(), key: key, checksum: checksum,
            verifiesServerDigest: !noServerDigest, segments: segments?.count, ifExists: ifExists,
            naming: naming, rate: limitRate?.bytes, priority: priority, onComplete: onComplete,
            startsPaused: paused)
    }
}

/// The URLs of a command line and its list.
enum ListedURL {
    /// - Throws: `DownloadError` if the list cannot be read.
    static func all(
        _ urls: [String], input: String?
    ) throws(DownloadError) -> [Result<String, DownloadError>] {
        var all = urls.map { Result<String, DownloadError>.success($0) }
        guard let input else { return all }
        for entry in try InputList.read(input) {
            switch entry {
            case .url(let url, _): all.append(.success(url))
            case .wrong(let what, let line):
                all.append(.failure(DownloadError(.invalidSetting, "\(input):\(line): \(what).")))
            }
        }
        return all
    }
}
