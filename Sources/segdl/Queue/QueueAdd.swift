import ArgumentParser
import SegmentedDL
import SegmentedDLOptions
import SegmentedDLQueue
import SystemPackage

struct QueueAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add downloads.",
        discussion: """
            A URL that is already in the queue is not added twice; give it another --key to download it twice. \
            A completed one is queued again and checked as by segdl fetch: an existing, unchanged file is \
            not fetched again. A failed one is also queued again, and keeps its bytes. \
            Prints the number of each download. Headers and credentials are not stored: give them to start. \
            s3:// and hf:// URLs are stored unchanged; start uses the same keys as segdl fetch.
            """)

    @Argument(help: ArgumentHelp("The URLs to download.", valueName: "url"))
    var urls: [String] = []

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "A list of URLs: one per line, or several of one file separated by tabs; below each, indented out=, dir=, checksum= or expect-type=. - is standard input.",
            valueName: "file"),
        completion: .file())
    var input: String?

    @OptionGroup var target: QueueTarget

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The final name, for one URL; DIRECTORY/ keeps the server's name.", valueName: "file"),
        completion: .file())
    var output: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The directory for the files; created if missing (default: the current one).",
            valueName: "directory"),
        completion: .directory)
    var directory: String?

    @Option(help: "The names of the files: from the server, from the URL, or the URL's digest.")
    var naming = FileNaming.server

    @Option(help: ArgumentHelp("Your own name for the download, for one URL.", valueName: "name"))
    var key: String?

    @Option(
        help: ArgumentHelp(
            "Fail unless the file has this digest, for one URL.", valueName: "algo=hex"),
        transform: FileOptions.checksum)
    var checksum: [Checksum] = []

    @Option(
        help: ArgumentHelp(
            "Fetch the files only if the server sends them with this Content-Type, such as application/gzip or image/*. May be repeated.",
            valueName: "type"),
        transform: FileOptions.mediaType)
    var expectType: [String] = []

    @Flag(help: "Do not verify the digest that the server sends with a file.")
    var noServerDigest = false

    @OptionGroup var proof: ProofOptions

    @Option(help: "The action if the final name exists.")
    var ifExists = ExistingFilePolicy.fail

    @Option(
        name: .shortAndLong, help: "Connections for one file: a number, or auto (default: that of start).")
    var segments: SegmentOption?

    @Option(parsing: .unconditional, help: "Downloads with a higher priority start first.")
    var priority = 0

    @Option(help: ArgumentHelp("Bytes per second for each file.", valueName: "rate"))
    var limitRate: ByteSize?

    @Option(
        help: ArgumentHelp(
            "A shell command to run when a file is complete, with SEGDL_PATH, SEGDL_URL and SEGDL_SIZE in its environment.",
            valueName: "command"))
    var onComplete: String?

    @Option(
        help: ArgumentHelp(
            "The profile in ~/.aws for s3:// URLs; only its name is stored (default: that of start).",
            valueName: "name"))
    var profile: String?

    @Flag(help: "Add before all others instead of after them.")
    var front = false

    @Flag(help: "Add as paused.")
    var paused = false

    func validate() throws {
        if urls.contains("-") {
            throw ValidationError("To read a list from standard input, use --input - (-i -).")
        }
        if urls.isEmpty, input == nil { throw ValidationError("Specify a URL, or a list with --input.") }
        let namesFile = output.map { !$0.hasSuffix("/") } ?? false
        try FileOptions.checkIsAlone("--output", namesFile, urls, list: input)
        try FileOptions.checkIsAlone("--checksum", !checksum.isEmpty, urls, list: input)
        try FileOptions.checkIsAlone("--key", key != nil, urls, list: input)
        try FileOptions.checkAgree(checksum)
        if output?.isEmpty ?? false { throw ValidationError("--output needs a file name.") }
        if output == "-" { throw ValidationError("A queue cannot write to standard output.") }
        if let limitRate, limitRate.bytes < 1 { throw ValidationError("--limit-rate must be 1 or more.") }
    }

    mutating func run() async throws {
        input.map(InputList.tellIfTyped)
        try await target.withClient { [self] client in
            var report = ReplyReport()
            let place = FileOptions.place(output: output, directory: directory)
            // A daemon resolves relative paths against its own directory.
            let usual = try usualRequest(to: target.isRemote ? place : try place.absolute())
            let batches = try URLBatches(urls, list: input, try input.map(InputList.pieces))
            let commands = batches.lazy.map { files in
                QueueCommand.add(
                    files.compactMap { file in
                        batches.checking { () throws(DownloadError) in try entry(file, as: usual) }
                    })
            }
            var waiting: [Receipt.ID] = []
            var putBack: [Receipt] = []
            try await client.send(commands) { reply in
                let again = reply.putBack ?? []
                putBack += reply.receipts.filter { again.contains($0.id) }
                for receipt in reply.receipts {
                    if reply.known.contains(receipt.id), !again.contains(receipt.id) {
                        StandardError.write("segdl: \(Self.isKnown(receipt))\n")
                    } else if front {
                        waiting.append(receipt.id)
                    }
                }
                report.add(reply) { "\($0.id)\t\($0.source)" }
                for failure in batches.takeFailures() { report.add(failure) }
            }
            for failure in batches.takeFailures() { report.add(failure) }
            OmittedHeaders.tell(batches.omittedHeaders)
            IgnoredOptions.tell(batches.ignoredOptions)
            for text in Self.waitAgain(putBack) { StandardError.write("segdl: \(text)\n") }
            if !waiting.isEmpty {
                try await client.send([.move(waiting.map(Selector.init), .front)]) { reply in
                    for failure in reply.failures { report.add(failure) }
                }
            }
            try report.end()
        }
    }

    private static func isKnown(_ receipt: Receipt) -> String {
        "number \(receipt.id) is already in the queue (\(receipt.state)) and is left unchanged; use segdl queue set to change its priority, and segdl queue move to change its position."
    }

    private static func waitAgain(_ receipts: [Receipt]) -> [String] {
        [
            sentence(receipts.filter { $0.error == nil }) { isOne in
                "\(isOne ? "was" : "were") completed before; \(isOne ? "it is" : "they are") checked as by segdl fetch: an existing, unchanged file is not fetched again."
            },
            sentence(receipts.filter { $0.error != nil }) { isOne in
                "failed before; \(isOne ? "it is" : "they are") tried again, and \(isOne ? "its" : "their") bytes are kept."
            },
        ].compactMap(\.self)
    }

    private static func sentence(_ receipts: [Receipt], _ rest: (_ isOne: Bool) -> String) -> String? {
        guard let first = receipts.first else { return nil }
        let isOne = receipts.count == 1
        return "\(isOne ? "number \(first.id)" : "\(receipts.count) downloads") \(rest(isOne))"
    }

    /// Returns the source with the keys of the given profile, unless it names one.
    private func signed(_ source: Source) throws(DownloadError) -> Source {
        guard let profile, case .object(let object)? = source.location, object.profile == nil else {
            return source
        }
        return Source(.object(try object.with(profile: profile)))
    }

    /// Returns the request for a file without settings of its own. Its source is a placeholder.
    ///
    /// Computed once, because a list may have a million files, and reading an option takes time.
    func usualRequest(
        to destination: DownloadRequest.Destination
    ) throws(DownloadError) -> DownloadRequest {
        var request = try DownloadRequest("http://localhost/", to: destination)
        request.makesDirectory = output != nil
        request.checksums = checksum
        request.expectedTypes = expectType
        request.verifiesServerDigest = !noServerDigest
        request.proofPolicy = proof.policy
        request.segments = segments?.count
        request.ifExists = ifExists
        request.naming = naming
        request.rate = limitRate?.bytes
        request.priority = priority
        return request
    }

    /// Returns the download for a file.
    ///
    /// - Throws: `DownloadError` with code `invalidURL`, or `badPath` for a path that cannot be stored.
    func entry(_ file: InputList.File, as usual: DownloadRequest) throws(DownloadError) -> QueueEntry {
        var request = try file.request(as: usual)
        request.source = try signed(request.source)
        if !target.isRemote { request.destination = try request.destination.absolute() }
        guard !request.startsOver || target.isRemote else {
            throw DownloadError(
                .invalidSetting,
                "'\(request.source)': a queue keeps the bytes of an earlier run; remove remove-control-file=true, or run segdl queue restart with its number.",
                url: request.source.description)
        }
        return QueueEntry(request, key: key, onComplete: onComplete, startsPaused: paused)
    }
}
