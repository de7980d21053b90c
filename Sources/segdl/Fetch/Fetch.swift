import ArgumentParser
import SegmentedDL
internal import SegmentedDLMirror
internal import SegmentedDLQueue

struct Fetch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Download files in parallel segments.",
        discussion: """
            Bytes go to NAME.part, with a manifest in NAME.part.segdl; NAME appears only when it is complete \
            and verified. Running the same command again goes on where it was.

            A URL may also be s3://BUCKET/KEY. It is signed if AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are set \
            (AWS_SESSION_TOKEN, AWS_REGION and AWS_ENDPOINT_URL count too), unless --no-sign-request is given.

            Examples:
              segdl fetch https://host/disk.iso
              segdl fetch -s 8 -o disk.iso https://host/releases/latest
              segdl fetch --mirror https://b.example/disk.iso https://a.example/disk.iso
              segdl fetch -d models -j 2 --limit-rate 20MiB -i urls.txt
              segdl fetch s3://bucket/images/disk.iso
              segdl fetch -o - https://host/tree.tar.gz | tar -xz
            """)

    @Argument(help: ArgumentHelp("What to download.", valueName: "url"))
    var urls: [String] = []

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "URLs from a file, one a line, or several of one file with tabs between them, and below each indented out=, dir=, checksum= or header=; - is standard input.",
            valueName: "file"),
        completion: .file())
    var input: String?

    @Option(
        help: ArgumentHelp(
            "Write who fetched which bytes when, as JSON lines; segdl bench draws them.", valueName: "file"),
        completion: .file())
    var trace: String?

    @Option(
        help: ArgumentHelp(
            "A further source of the same file; may be repeated. Headers and credentials stay with the first URL's host.",
            valueName: "url"))
    var mirror: [String] = []

    @OptionGroup(title: "Files") var files: FileOptions
    @OptionGroup(title: "Limits") var limits: LimitOptions
    @OptionGroup(title: "Connections") var transport: TransportOptions
    @OptionGroup(title: "S3") var s3: S3Options
    @OptionGroup(title: "Output") var report: ReportOptions

    func validate() throws {
        if urls.isEmpty, input == nil { throw ValidationError("Name a URL, or a list with --input.") }
        if files.output != nil || files.checksum != nil, urls.count != 1 || input != nil {
            throw ValidationError("--output and --checksum are for exactly one URL.")
        }
        if !mirror.isEmpty, urls.count != 1 || input != nil {
            throw ValidationError("--mirror is for exactly one URL.")
        }
        if files.writesToStandardOutput, report.progress == .json {
            throw ValidationError("The file and JSON cannot both go to standard output.")
        }
    }

    mutating func run() async throws {
        Signals.ignoreFailedWrites()
        var configuration = Configuration()
        limits.apply(to: &configuration)
        transport.apply(to: &configuration)
        configuration.durability = files.durability
        // With several hosts a file may have more connections than one host takes.
        if !mirror.isEmpty || files.followLinks { configuration.segments = .automatic }
        let messages = MessageLog()
        configuration.logger = messages.logger(isVerbose: report.verbose)
        do {
            let listed = try listed()
            if listed.isEmpty { StandardError.write("segdl: the list holds no URL.\n") }
            let downloader = try Downloader(configuration: configuration)
            let run = FetchRun(
                downloader: downloader, messages: messages, onComplete: files.onComplete,
                trace: try trace.map { path throws(DownloadError) in try Trace(path: path) },
                item: makeItem())
            let status = await run.carryOut(listed, with: report.makeRenderer())
            await downloader.shutdown()
            if status != 0 { throw ExitCode(status) }
        } catch let error as DownloadError {
            StandardError.write("segdl: \(error.message)\n")
            throw ExitCode(error.exitStatus)
        }
    }

    /// The URLs of the command line, then those of the list.
    private func listed() throws(DownloadError) -> [FetchItem.Named] {
        var named = urls.map { FetchItem.Named(url: $0) }
        guard let input else { return named }
        for entry in try InputList.read(input) {
            switch entry {
            case .file(let file):
                named.append(
                    .init(
                        url: file.urls[0], mirrors: Array(file.urls.dropFirst()), options: file.options,
                        place: "\(input):\(file.line)"))
            case .wrong(let what, let line):
                named.append(.init(url: what, place: "\(input):\(line)", isWrong: true))
            }
        }
        return named
    }

    /// What makes a file of the run. A list may have a million, so the options are read once: that takes its time.
    private func makeItem() -> @Sendable (FetchItem.Named) -> FetchItem {
        let (s3, mirror, destination) = (s3, mirror, files.destination())
        let segments = !mirror.isEmpty || files.followLinks ? limits.segments.count : nil
        let (headers, credentials) = (transport.headers, transport.credentials)
        let (checksum, ifExists, startsOver) = (files.checksum, files.ifExists, files.restart)
        let (followsLinks, verifiesServerDigest) = (files.followLinks, !files.noServerDigest)
        return { named in
            FetchItem(named) { url throws(DownloadError) in
                let (source, key) = try s3.object(url)
                let options = named.options
                var request = DownloadRequest(source, to: options.destination(besides: destination))
                // A list may name a whole tree.
                request.makesDirectory = options.name != nil
                request.segments = segments
                for mirror in mirror + named.mirrors { request.mirrors.append(try Source(mirror)) }
                request.headers = headers + options.headers
                request.credentials = credentials ?? key
                request.checksum = options.checksum ?? checksum
                request.followsLinks = followsLinks
                request.verifiesServerDigest = verifiesServerDigest
                request.ifExists = ifExists
                request.startsOver = startsOver
                return request
            }
        }
    }
}
