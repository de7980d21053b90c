import ArgumentParser
import SegmentedDL

/// Which files a mirror has, and what happens to them.
struct MirrorOptions: ParsableArguments {
    @Option(
        help: """
            What SOURCE is: index (listings in HTML), s3 (a bucket), urls (aria2's input file), jsonl, tsv, checksums, \
            metalink; auto goes by its name, and takes other URLs for an index and other files for urls.
            """)
    var format = MirrorSourceOption.Format.auto

    @Option(
        help: ArgumentHelp("What names in a list of checksums in a file are relative to.", valueName: "url"))
    var base: String?

    @Option(help: ArgumentHelp("Only keys that begin with this (--format s3).", valueName: "text"))
    var prefix: String?

    @Option(
        help: ArgumentHelp(
            "Only files that one of these covers: a name at any depth, or a path with slashes; may be repeated.",
            valueName: "glob"))
    var include: [String] = []

    @Option(help: ArgumentHelp("No file that one of these covers; may be repeated.", valueName: "glob"))
    var exclude: [String] = []

    @Option(help: ArgumentHelp("Levels of directories below SOURCE that are entered (default: all)."))
    var depth: Int?

    @Option(help: ArgumentHelp("Give up after so many failures; 1 is at the first (default: never)."))
    var maxFailures: Int?

    @Flag(help: "Do not verify the digest that the server sends with a file.")
    var noServerDigest = false

    @Option(
        help: "What a checkpoint survives: a power cut, or only the end of the process (fewer disk syncs).")
    var durability = Durability.power

    func validate() throws {
        if let maxFailures, maxFailures < 1 { throw ValidationError("--max-failures wants 1 or more.") }
        if let depth, depth < 0 { throw ValidationError("--depth wants 0 or more.") }
    }

    /// - Throws: `DownloadError` with code `invalidSetting`.
    func filter() throws(DownloadError) -> PathFilter {
        PathFilter(include: try Self.globs(include), exclude: try Self.globs(exclude))
    }

    private static func globs(_ patterns: [String]) throws(DownloadError) -> [Glob] {
        var globs: [Glob] = []
        for pattern in patterns { globs.append(try Glob(pattern)) }
        return globs
    }

    var walkOptions: WalkOptions {
        var options = WalkOptions()
        options.depth = depth
        return options
    }

    func apply(to job: inout MirrorJob) {
        if let maxFailures { job.failurePolicy = .stop(after: maxFailures) }
        job.verifiesServerDigest = !noServerDigest
    }
}
