import ArgumentParser
import SegmentedDL
internal import SegmentedDLMirror
import SystemPackage

struct Fetch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Download files in parallel segments.",
        discussion: """
            Bytes go to NAME.part, with a manifest in NAME.part.segdl; NAME appears only when it is complete \
            and verified. The same command again resumes the download.

            On a terminal each file has a map of its bytes: █ on disk, ▓▒░ partly on disk, ► an active \
            connection, · missing (# + > . without UTF-8).

            A URL may also be s3://BUCKET/KEY. It is signed if AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are set \
            (AWS_SESSION_TOKEN, AWS_REGION and AWS_ENDPOINT_URL are also used), or if the profile in ~/.aws has keys \
            or a credential_process, unless --no-sign-request is given.

            Or hf://OWNER/NAME@REVISION/PATH, a file of a model hub. The hub is that of HF_ENDPOINT (default: \
            https://huggingface.co). Only the hub is sent the token of HF_TOKEN, HF_TOKEN_PATH or HF_HOME.

            Examples:
              segdl fetch https://host/disk.iso
              segdl fetch -s 8 -o disk.iso https://host/releases/latest
              segdl fetch --mirror https://b.example/disk.iso https://a.example/disk.iso
              segdl fetch -d models -j 2 --limit-rate 20MiB -i urls.txt
              segdl fetch s3://bucket/images/disk.iso
              segdl fetch hf://org/model/model.safetensors
              segdl fetch -o - https://host/tree.tar.gz | tar -xz
            """)

    @Argument(help: ArgumentHelp("The URLs to download.", valueName: "url"))
    var urls: [String] = []

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "A list of URLs: one per line, or several of one file separated by tabs; below each, indented out=, dir=, checksum=, header= or expect-type=. - is standard input.",
            valueName: "file"),
        completion: .file())
    var input: String?

    @Flag(
        help:
            "Fetch nothing: print what the server reports about each file (name, length, type, date, ETag, ranges)."
    )
    var dryRun = false

    @Option(
        help: ArgumentHelp(
            "Append messages, as with --verbose, and the result of each file to this file. - is standard error.",
            valueName: "file"),
        completion: .file())
    var log: String?

    @Option(
        help: ArgumentHelp(
            "Log which connection fetched which bytes, as JSON lines; segdl bench draws them. - is standard output.",
            valueName: "file"),
        completion: .file())
    var trace: String?

    @Option(
        help: ArgumentHelp(
            "At the end, write the missing files and their options as a list for --input. - is standard output.",
            valueName: "file"),
        completion: .file())
    var failed: String?

    @Option(
        help: ArgumentHelp(
            "A further source of the same file; may be repeated. Headers and credentials are sent only to the first URL's host.",
            valueName: "url"))
    var mirror: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Stop after this time, as Ctrl-C does, but with status 2; 0 for no limit (default: 0).",
            valueName: "seconds"))
    var maxTime: Double?

    @OptionGroup(title: "Files") var files: FileOptions
    @OptionGroup(title: "Limits") var limits: LimitOptions
    @OptionGroup(title: "Connections") var transport: TransportOptions
    @OptionGroup(title: "S3") var s3: S3Options
    @OptionGroup(title: "Output") var report: ReportOptions

    func validate() throws {
        if let metalink = (urls + [input].compactMap { $0 }).first(where: Self.isMetalinkFile) {
            throw ValidationError(
                "'\(metalink)' is a Metalink, which describes files. Fetch them with: segdl mirror \(metalink) DIRECTORY"
            )
        }
        if urls.isEmpty, input == nil {
            throw ValidationError("\(MisparsedURL.noURL), or a list with --input.")
        }
        if urls.contains("-") {
            throw ValidationError(
                "- is not a URL. Write -i - to read URLs from standard input, or -o - to write to standard output."
            )
        }
        if isPaired, let reason = OutputNames.fault(files.outputs, directory: files.directory) {
            throw ValidationError(reason)
        }
        let namesDirectory = files.namesDirectory && files.outputs.count == 1
        if !isPaired, files.output != nil, !namesDirectory {
            guard input != nil || urls.count == 1 else {
                throw ValidationError(
                    "--output is for exactly one URL, but \(urls.count) URLs are given. To name each, write -o NAME URL -o NAME URL."
                )
            }
            try FileOptions.checkIsAlone("--output", true, urls, list: input)
        }
        try FileOptions.checkIsAlone("--checksum", !files.checksum.isEmpty, urls, list: input)
        try FileOptions.checkIsAlone("--mirror", !mirror.isEmpty, urls, list: input)
        if files.writesToStandardOutput, report.progress == .json {
            throw ValidationError("The file and JSON cannot both go to standard output.")
        }
        try OutputPath.check(
            [("--trace", trace), ("--failed", failed)],
            besides: files.writesToStandardOutput
                ? "--output" : report.progress == .json ? "--progress json" : nil)
        guard (0...Self.mostSeconds).contains(maxTime ?? 0) else {
            throw ValidationError("--max-time must be between 0 seconds and one year.")
        }
    }

    /// Returns true for a Metalink on disk, or a name that looks like one.
    private static func isMetalinkFile(_ name: String) -> Bool {
        VerifyItem.isMetalink(name) && !name.hasURLScheme
    }

    /// True if each of several URLs has its own output name.
    var isPaired: Bool { input == nil && OutputNames.arePairs(files.outputs, urls: urls.count) }

    private static let mostSeconds = 366.0 * 86_400

    /// True if a file may have sources on several hosts.
    var hasSeveralHosts: Bool { !mirror.isEmpty || files.followLinks }

    func run() async throws {
        Signals.ignoreFailedWrites()
        try await end {
            var (requests, sources) = try requests()
            let (trace, failed) = (self.trace.map(OutputPath.opened), self.failed.map(OutputPath.opened))
            let outputs = try RunOutputs([
                ("--log", self.log == "-" ? nil : self.log), ("--trace", trace), ("--failed", failed),
            ])
            // Before the first of them is opened, because that may create or empty it.
            try outputs.check(requests)
            let log = try self.log.map { path throws(DownloadError) in try LogFile(path: path) }
            let session = makeSession(log)
            if requests.isEmpty { StandardError.write("segdl: the list contains no URLs.\n") }
            let renderer = LoggedRenderer.make(report.makeRenderer(files: requests.count), log)
            if !dryRun, report.showsNoFiles,
                let hint = PipeHint.text(
                    files: requests.count,
                    namesOutput: files.output != nil || files.directory != nil
                        || PipeHint.meansDisk(ProcessArguments.withoutName))
            {
                StandardError.write(hint)
            }
            let resolver = s3.resolver { [messages = session.messages] in messages.add($0) }
            try resolver.prepare(for: sources)
            if dryRun { return try await look(at: requests, resolver.resolved, session, renderer) }
            if !isPaired {
                let destination = try await files.destination { path in
                    guard !report.quiet else { return }
                    StandardError.write("segdl: waiting until a program reads '\(path)'.\n")
                }
                // In this case there is only one file.
                if case .descriptor = destination { requests = requests.with(destination) }
            }
            let missing = try failed.map { path throws(DownloadError) in
                try MissingFiles(path, requests, of: input ?? "")
            }
            let status = try await session.withDownloader {
                [messages = session.messages, requests] downloader in
                var run = FetchRun(
                    downloader: downloader, messages: messages, requests: requests,
                    resolve: resolver.resolved,
                    trace: try trace.map { path throws(DownloadError) in try Trace(path: path) },
                    outputs: outputs)
                if let maxTime, maxTime > 0 {
                    run.limit = .seconds(maxTime)
                    run.late = {
                        StandardError.write("segdl: stopped, because --max-time has expired.\n")
                    }
                }
                if let command = files.onComplete {
                    run.hasPendingAction = true
                    run.ended = { _, request, end in
                        try await Self.complete(end, of: request, with: command) { messages.add($0) }
                    }
                }
                if files.noClobber { run.completing = { _, task in task.keepsExisting = true } }
                if let missing { run.completed = { missing.completed($0) } }
                return await run.run(with: renderer)
            }
            try await DiskThread.run { try missing?.write() }
            return status
        }
    }

    private func makeSession(_ log: LogFile?) -> Session {
        var session = Session(limits: limits, transport: transport, report: report, log: log)
        files.storage.apply(to: &session.configuration)
        // With several hosts, a file may use more connections than one host allows.
        if hasSeveralHosts { session.configuration.segments = .automatic }
        return session
    }

    /// Prints the file information that the servers report.
    private func look(
        at requests: RunRequests, _ resolve: @escaping RunRequest.Resolve, _ session: Session,
        _ renderer: any ProgressRenderer
    ) async throws -> Int32 {
        try await session.withDownloader { downloader in
            let run = LookRun(
                downloader: downloader, messages: session.messages, requests: requests, resolve: resolve,
                isJSON: report.progress == .json, isQuiet: report.quiet)
            return await run.run(with: renderer)
        }
    }

    /// Runs the command for a complete file if it was downloaded, or if an earlier run of the command failed.
    private static func complete(
        _ end: FetchRun.Finished, of request: RunRequest, with command: String,
        say: @escaping @Sendable (String) -> Void
    ) async throws -> DownloadResult {
        let result = try end.get()
        guard let path = result.path, case .success(let request) = request else { return result }
        guard await isDue(result, path) else { return result }
        async let _: Void = tellThatItRuns(path, say)
        try await CompletionCommand.run(command, path: path, url: request.source.url, size: result.length)
        await DiskThread.run { PendingAction.clear(at: path) }
        return result
    }

    /// Reports that the command is still running, because the file's progress bar no longer changes.
    private static func tellThatItRuns(_ path: FilePath, _ say: @Sendable (String) -> Void) async {
        guard (try? await Task.sleep(for: .seconds(2))) != nil else { return }
        say("\(path) is complete; running the --on-complete command.")
    }

    private static func isDue(_ result: DownloadResult, _ path: FilePath) async -> Bool {
        if result.outcome == .downloaded { return true }
        return await DiskThread.run { PendingAction.exists(at: path) }
    }
}
