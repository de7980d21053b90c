import ArgumentParser
import SegmentedDL
internal import SegmentedDLMirror
import SystemPackage

struct MirrorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mirror",
        abstract: "Download many files as one job: a tree, a bucket, or a list.",
        subcommands: [MirrorStart.self, MirrorReportCommand.self], defaultSubcommand: MirrorStart.self,
        // The default subcommand answers requests for help.
        helpNames: [])
}

struct MirrorStart: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Download many files as one job: a tree, a bucket, or a list.",
        usage: """
            segdl mirror [<options>] <source> <dir>
            segdl mirror report [<options>] <dir> ...
            """,
        discussion: """
            SOURCE is a directory's URL that a server lists in HTML, a list of files (a path, a URL, or - for \
            standard input), a bucket (s3://BUCKET/DIRECTORY, or its URL with --format s3), a repository of a \
            hub of models (hf://OWNER/NAME@REVISION, hf://datasets/OWNER/NAME, hf://spaces/OWNER/NAME), an image \
            in a registry (oci://HOST/NAME:TAG), or a Debian repository (its URL with --format debian). Files have the same paths in DIR as in SOURCE; for an image, DIR is an OCI \
            layout.

            Run again, the same command fetches files that have changed, and resumes a run that was killed; it then \
            lists SOURCE again at the end. Its state is in DIR/.segdl-mirror.sqlite, the proof in \
            DIR/segdl-mirror.jsonl and DIR/SHA256SUMS.

            Requests for a bucket are signed if AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are set (AWS_SESSION_TOKEN, \
            AWS_REGION and AWS_ENDPOINT_URL are also used), or if the profile in ~/.aws has keys or a credential_process, \
            unless --no-sign-request is given.

            The hub is that of HF_ENDPOINT (default: https://huggingface.co). The token in HF_TOKEN, or in the \
            file of HF_TOKEN_PATH or HF_HOME, is sent to the hub, and to no other host.

            A URL such as https://github.com/OWNER/NAME/releases, or that of one release, selects the files of the releases. \
            The token in GITHUB_TOKEN is sent to GitHub's API, and to no other host.

            A registry is sent the login stored by podman login or docker login (REGISTRY_AUTH_FILE and DOCKER_CONFIG \
            apply, including their credential helpers), or that of --user. Several images may be in one DIR. Signatures and other artifacts that \
            refer to an image are omitted.

            The suites of a Debian repository are those of --suite, or that of a URL such as https://host/debian/dists/stable/. \
            DIR is a repository that apt installs from: its InRelease is replaced once all files of the new version are present. \
            Its signature is not verified; apt does that.

            Several machines can share a mirror, each with its own --shard; `segdl mirror report` merges their \
            proofs, and lists the missing files.

            Exit status: 0 if every file is present, complete and verified; 1 if some failed; each is listed.

            Examples:
              segdl mirror https://host/pub/ copy
              segdl mirror --include '*.iso' --depth 1 https://host/pub/ copy
              segdl mirror https://host/pub/SHA256SUMS copy
              segdl mirror s3://bucket/images/ copy
              segdl mirror hf://org/model@main model
              segdl mirror --hf-cache hf://org/model ~/.cache/huggingface/hub
              segdl mirror oci://docker.io/library/alpine:3.20 image
              segdl mirror --platform linux/arm64 oci://quay.io/org/name:tag image
              segdl mirror --format debian --component main --arch amd64 https://host/debian/dists/stable/ copy
              segdl mirror --format s3 --no-sign-request --prefix 2024- https://bucket.host/ copy
              segdl mirror -j 16 list.jsonl copy
              segdl mirror --delete --dry-run https://host/pub/ copy
              segdl mirror --adopt https://host/pub/ made-by-rclone
              segdl mirror --verify https://host/pub/ copy
              segdl mirror --shard 2/4 https://host/pub/ copy
              segdl verify copy/SHA256SUMS
            """,
        helpNames: [.short, .long])

    @Argument(
        help: ArgumentHelp("The source that lists the files.", valueName: "source"), completion: .file())
    var source: String

    @Argument(
        help: ArgumentHelp("The directory for the files; created if missing.", valueName: "dir"),
        completion: .directory)
    var directory: String

    @OptionGroup(title: "Files") var files: MirrorOptions
    @OptionGroup(title: "Limits") var limits: LimitOptions
    @OptionGroup(title: "Connections") var transport: TransportOptions
    @OptionGroup(title: "S3") var s3: S3Options
    @OptionGroup(title: "Output") var report: ReportOptions

    func validate() throws {
        if directory.isEmpty { throw ValidationError("Specify a directory.") }
        try OutputPath.check(
            [("--failed", files.failed)],
            besides: report.progress == .json ? "--progress json" : files.dryRun ? "--dry-run" : nil)
        if directory.hasURLScheme, source.hasURLScheme {
            throw ValidationError(
                "A mirror has one source, but several URLs are given. Run segdl mirror once for each, with a separate directory."
            )
        }
        if directory.hasURLScheme {
            throw ValidationError(
                "The source comes first, then the directory: segdl mirror \(directory) \(source)")
        }
    }

    func run() async throws {
        Signals.ignoreFailedWrites()
        var session = Session(limits: limits, transport: transport, report: report)
        files.storage.apply(to: &session.configuration)
        try await end {
            let resolver = s3.resolver { [messages = session.messages] in messages.add($0) }
            let named = try MirrorSourceOption(
                source, format: files.format, base: files.base, prefix: files.prefix,
                isPlain: files.plainHTTP,
                s3: { profile throws(DownloadError) in try resolver.store(profile) },
                hub: { () throws(DownloadError) in try resolver.hub() },
                releases: { () throws(DownloadError) in
                    try ReleasesSettings(environment: ProcessEnvironment.variables)
                })
            let filter = try files.filter()
            let access = try access(to: named)
            try files.checkImage(isImage: named.source.isImage)
            let deletes = files.delete || files.deleteAll
            try require(
                !deletes || !ImageLayout.exists(at: FilePath(directory)),
                "'\(directory)' is an image layout, so no files can be removed from it; leave out --delete and --delete-all."
            )
            return try await session.withDownloader { [messages = session.messages] downloader in
                var job = MirrorJob(root: FilePath(directory))
                try files.apply(to: &job)
                job.access = access
                job.hub = named.hub
                var wanted = try files.selected(named.source)
                if case .registry(let source) = named.source {
                    let image = try image(source, access, &job, with: downloader)
                    wanted = .registry(image)
                }
                job.source = wanted
                var entries = downloader.entries(
                    of: wanted, filter: filter, options: files.walkOptions, access: job.access)
                entries.hub = named.hub
                let run = MirrorCommandRun(
                    messages: messages, output: MirrorOutput(report), isJSON: report.kind == .json)
                if case .registry(let source) = wanted {
                    let layout = ImageLayout(of: source, at: job.root)
                    try await DiskThread.run { try layout.check() }
                    let status = await run.run(downloader.mirror(job, of: layout.entries(entries)))
                    if status == 0, !files.dryRun { try await DiskThread.run { try layout.publish() } }
                    return status
                }
                guard let cache = try cache(of: named) else {
                    return await run.run(downloader.mirror(job, of: entries))
                }
                // Next to the blobs, which other programs also use.
                job.root = cache.blobs
                job.state = cache.directory.appending(".segdl-mirror.sqlite")
                job.proof = files.proof.map { FilePath($0) }
                job.rootInProof = cache.blobsInCache
                let status = await run.run(downloader.mirror(job, of: cache.entries(entries)))
                if status == 0, !files.dryRun { try await DiskThread.run { try cache.publish() } }
                return status
            }
        }
    }

    /// Returns the image selected by the options, and adds the access to its registry to the job.
    private func image(
        _ source: RegistrySource, _ access: MirrorAccess, _ job: inout MirrorJob, with downloader: Downloader
    ) throws(DownloadError) -> RegistrySource {
        var source = source
        source.platform = try files.platform.map { text throws(DownloadError) in try ImagePlatform(text) }
        source.layout = files.dryRun ? nil : job.root
        let login = RegistryAccess.login(for: source.location, transport.credentials) { downloader.note($0) }
        job.access.credentials =
            access.headers.haveAuthorization
            ? nil : source.access(with: downloader, login: login).credentials
        return source
    }

    /// Returns the cache to write; `nil` for a plain directory.
    private func cache(of named: MirrorSourceOption) throws(DownloadError) -> HubCache? {
        guard files.hfCache else { return nil }
        guard case .hub(let source) = named.source else {
            throw DownloadError(.invalidSetting, "--hf-cache is for hf://OWNER/NAME.")
        }
        return try HubCache(of: source, in: FilePath(directory))
    }

    func access(to named: MirrorSourceOption) throws(DownloadError) -> MirrorAccess {
        guard let origin = named.origin else {
            guard transport.headers.isEmpty, transport.credentials == nil else {
                throw DownloadError(
                    .invalidSetting,
                    "--header and --user apply to one server; specify it with --base.")
            }
            return MirrorAccess()
        }
        var access = MirrorAccess(for: origin)
        access.headers = transport.headers
        // A field from the command line replaces that of the token.
        access.headers += named.headers.filter { _ in !transport.headers.haveAuthorization }
        access.credentials = transport.credentials ?? named.credentials
        access.quotaAdvice = transport.headers.haveAuthorization ? nil : named.quotaAdvice
        return access
    }
}
