import ArgumentParser
import SegmentedDL
internal import SegmentedDLMirror
import SystemPackage

/// The options that select the files of a mirror and the actions on them.
struct MirrorOptions: ParsableArguments {
    @Option(
        help: """
            The kind of SOURCE: index (listings in HTML), s3 (a bucket), urls (aria2's input file), jsonl, tsv, checksums, \
            metalink, packages (a project in an index of Python packages), record (of Zenodo or InvenioRDM), debian (suites of a \
            repository); auto infers it from \
            the name; otherwise a URL is an index, and a file is urls, or jsonl if it begins with {.
            """)
    var format = MirrorSourceOption.Format.auto

    @Option(
        help: ArgumentHelp(
            "The URL that names in a list of checksums are relative to.", valueName: "url"))
    var base: String?

    @Option(help: ArgumentHelp("Only keys with this prefix (s3:// and --format s3).", valueName: "text"))
    var prefix: String?

    @Flag(
        help:
            "Write DIR as a cache for huggingface_hub (hf:// only), such as ~/.cache/huggingface/hub."
    )
    var hfCache = false

    @Option(
        help: ArgumentHelp(
            "Only the image for this platform, such as linux/arm64 (oci:// only; default: all).",
            valueName: "os/arch"))
    var platform: String?

    @Flag(help: "Use HTTP without TLS (oci:// only; default: only for a registry on this machine).")
    var plainHTTP = false

    @Option(
        help: ArgumentHelp(
            "A suite of the repository, such as bookworm-updates (--format debian only; default: that of the URL); may be repeated, like the next two.",
            valueName: "name"))
    var suite: [String] = []

    @Option(
        help: ArgumentHelp(
            "Only this component of the suites, such as main (--format debian only; default: all).",
            valueName: "name"))
    var component: [String] = []

    @Option(
        help: ArgumentHelp(
            "Only this architecture, such as amd64, or source for source packages (--format debian only; default: all but source).",
            valueName: "name"))
    var arch: [String] = []

    @Option(
        help: ArgumentHelp(
            "Only files that match one of these: a name at any depth, or a path with slashes; may be repeated.",
            valueName: "glob"))
    var include: [String] = []

    @Option(help: ArgumentHelp("No files that match one of these; may be repeated.", valueName: "glob"))
    var exclude: [String] = []

    @Option(help: ArgumentHelp("The number of directory levels below SOURCE to enter (default: all)."))
    var depth: Int?

    @Option(
        help: ArgumentHelp(
            "Only part I of N parts of SOURCE, I from 1 to N; auto is this task's part in a Slurm or AWS Batch array, auto/N also in a Kubernetes indexed job.",
            valueName: "i/n"))
    var shard: ShardOption?

    @Option(
        help: ArgumentHelp(
            "End the run after this many failures (default: never)."))
    var maxFailures: Int?

    @Flag(
        help:
            "Only list the files to fetch and delete, and with -v those to keep. The necessary requests are sent."
    )
    var dryRun = false

    @Flag(
        help:
            "Keep files in DIR from another program or URL if their size and date match SOURCE."
    )
    var adopt = false

    @Flag(help: "Read all files, and fetch those again whose digest differs from the recorded one.")
    var verify = false

    @Flag(help: "Remove files of earlier runs that SOURCE no longer has.")
    var delete = false

    @Flag(help: "Remove every file in DIR that SOURCE does not have, including those of other programs.")
    var deleteAll = false

    @Flag(help: "List SOURCE immediately instead of resuming an unfinished run.")
    var restart = false

    @Option(
        help: ArgumentHelp(
            "Write the missing files at the end, as JSON lines that can be the SOURCE of a mirror in another directory; in DIR, the proof would then list only these files. - is standard output.",
            valueName: "file"),
        completion: .file())
    var failed: String?

    @Option(
        help: ArgumentHelp(
            "The directory for the proof, segdl-mirror.jsonl and SHA256SUMS (default: DIR; with --hf-cache: no proof).",
            valueName: "directory"),
        completion: .directory)
    var proof: String?

    @Flag(help: "Do not write a proof.")
    var noProof = false

    @Flag(help: "Do not verify the digest that the server sends with a file.")
    var noServerDigest = false

    @Option(
        help: ArgumentHelp(
            "Fetch files only if the server sends them with this Content-Type, such as application/gzip or image/*. May be repeated.",
            valueName: "type"),
        transform: FileOptions.mediaType)
    var expectType: [String] = []

    @Flag(
        help:
            "Also fetch from mirrors in Link headers or a linked Metalink (RFC 6249), if the file's digest is known."
    )
    var followLinks = false

    @OptionGroup var storage: StorageOptions

    func validate() throws {
        if let maxFailures, maxFailures < 1 { throw ValidationError("--max-failures must be 1 or more.") }
        if delete, deleteAll { throw ValidationError("--delete and --delete-all cannot be combined.") }
        if noProof, proof != nil { throw ValidationError("--proof and --no-proof cannot be combined.") }
        if hfCache, delete || deleteAll || adopt || shard != nil {
            throw ValidationError(
                "A cache is shared with other programs and revisions; leave out --delete, --delete-all, --adopt and --shard."
            )
        }
        if let depth, depth < 0 { throw ValidationError("--depth must be 0 or more.") }
    }

    /// Checks the options of an image, whose layout contains all files.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting`.
    func checkImage(isImage: Bool) throws(DownloadError) {
        guard isImage else {
            try require(
                platform == nil && !plainHTTP, "--platform and --plain-http are for oci://HOST/NAME:TAG.")
            return
        }
        try require(!hfCache, "--hf-cache is for hf://OWNER/NAME.")
        try require(
            include.isEmpty && exclude.isEmpty && depth == nil && base == nil && shard == nil && !adopt,
            "An image is mirrored as a whole: leave out --include, --exclude, --depth, --base, --shard and --adopt; --platform selects one of several."
        )
        try require(
            !delete && !deleteAll,
            "The directory may contain several images, so no files can be removed from it; leave out --delete and --delete-all."
        )
    }

    /// Returns the source with the suites, components and architectures of the options.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` if there are any and the source is not a
    ///   repository, or if options would exclude files listed in its indexes.
    func selected(_ source: MirrorSource) throws(DownloadError) -> MirrorSource {
        guard case .debian(var repository) = source else {
            try require(
                suite.isEmpty && component.isEmpty && arch.isEmpty,
                "--suite, --component and --arch are for repositories; add --format debian.")
            return source
        }
        try require(
            include.isEmpty && exclude.isEmpty && depth == nil && shard == nil,
            "A suite is mirrored with all files listed in its indexes; leave out --include, --exclude, --depth and --shard; use --component and --arch to select."
        )
        // debmirror's options take lists.
        func names(_ values: [String]) -> [String] {
            values.flatMap { $0.split(separator: ",").map(String.init) }
        }
        repository.suites += names(suite).filter { !repository.suites.contains($0) }
        repository.components = names(component)
        repository.architectures = names(arch)
        return .debian(repository)
    }

    /// - Throws: `DownloadError` with code `invalidSetting`.
    func filter() throws(DownloadError) -> PathFilter {
        try PathFilter(include: include, exclude: exclude)
    }

    var walkOptions: WalkOptions {
        var options = WalkOptions()
        options.depth = depth
        return options
    }

    /// - Throws: `DownloadError` with code `invalidSetting` if the shard does not exist.
    func apply(to job: inout MirrorJob) throws(DownloadError) {
        if let maxFailures { job.failurePolicy = .stop(after: maxFailures) }
        job.followsLinks = followLinks
        job.expectedTypes = expectType
        job.verifiesServerDigest = !noServerDigest
        job.shard = try shard?.shard(in: ProcessEnvironment.variables)
        job.state = MirrorJob.defaultState(in: job.root, shard: job.shard)
        job.deletion = deleteAll ? .everything : delete ? .mirrored : .nothing
        job.isDryRun = dryRun
        job.startsOver = restart
        job.adoptsFiles = adopt
        job.verifiesCopies = verify
        job.missing = failed.map { FilePath(OutputPath.opened($0)) }
        job.proof = noProof || dryRun ? nil : proof.map { FilePath($0) } ?? job.root
    }
}
