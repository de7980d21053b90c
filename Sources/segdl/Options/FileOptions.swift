import ArgumentParser
import SegmentedDL
import SegmentedDLOptions
import SystemPackage

/// The destinations of files, and requirements for their content.
struct FileOptions: ParsableArguments {
    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp(
            "The final name; for several URLs, give one for each, in order. DIRECTORY/ keeps the server's name; - writes one URL to standard output.",
            valueName: "file"),
        completion: .file())
    var outputs: [String] = []

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The directory for names from the URL or the server; created if missing (default: the current one).",
            valueName: "directory"),
        completion: .directory)
    var directory: String?

    @Flag(
        help:
            "Name files after the final URL, after redirects (Content-Disposition still takes precedence)."
    )
    var trustServerNames = false

    @Option(
        help: ArgumentHelp(
            "Fail unless the file has this digest: sha256=HEX, or HEX alone if its length implies the algorithm. Also md5, sha1, sha224, sha384, sha512, crc32, crc32c, crc64nvme, gitsha1. May be repeated; all are verified.",
            valueName: "algo=hex"),
        transform: Self.checksum)
    var checksum: [Checksum] = []

    @Option(
        help: ArgumentHelp(
            "Fetch the file only if the server sends it with this Content-Type, such as application/gzip or image/*. May be repeated.",
            valueName: "type"),
        transform: Self.mediaType)
    var expectType: [String] = []

    @Flag(help: "Do not verify the digest that the server sends with a file.")
    var noServerDigest = false

    @OptionGroup var proof: ProofOptions

    @Flag(
        help: "Store the file encoded (Content-Encoding) if the server sends it that way unasked."
    )
    var encoded = false

    @Flag(
        help:
            "Let the server send a file encoded (gzip, br, zstd), and store it decoded. Uses one connection; if it is lost, the download starts over."
    )
    var compressed = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Refuse longer files, and files of unknown length (with --compressed, stop at this size); 0 for no limit.",
            valueName: "size"),
        transform: ByteSize.size)
    var maxFilesize: ByteSize?

    @Flag(
        help:
            "Also fetch from mirrors in Link headers or a linked Metalink (RFC 6249), if the file's digest is known."
    )
    var followLinks = false

    @Flag(
        help:
            "Fetch the file in order, in small pieces, so that NAME.part can be read during the download."
    )
    var streamOrder = false

    @Flag(help: "Discard the bytes of an earlier run.")
    var restart = false

    @Option(
        help:
            "The action if another file has the final name. If it is the requested file, nothing is fetched; update replaces an older one."
    )
    var ifExists = ExistingFilePolicy.fail

    @Flag(
        help:
            "If a file has the expected name, keep it, whatever it contains, and send no request. If the server may choose another name, this works like --if-exists skip."
    )
    var noClobber = false

    @Flag(
        name: [.customShort("c"), .customLong("continue")],
        help:
            "Resume a file that another program left unfinished, if samples of it match the server's file."
    )
    var takesOver = false

    @Flag(help: "Do not set the file's date to the server's Last-Modified.")
    var noRemoteTime = false

    @OptionGroup var storage: StorageOptions

    @Option(
        help: ArgumentHelp(
            "A shell command to run when a file is complete, with SEGDL_PATH, SEGDL_URL and SEGDL_SIZE in its environment.",
            valueName: "command"))
    var onComplete: String?

    func validate() throws {
        if onComplete != nil, writesToStandardOutput {
            throw ValidationError(
                "--on-complete applies only to files; wait for the end of the output instead.")
        }
        if encoded, compressed {
            throw ValidationError(
                "--compressed decodes and --encoded stores without decoding; give one of them.")
        }
        if proof.requireProof != nil, writesToStandardOutput {
            throw ValidationError(
                "--require-proof applies only to files: bytes written to a pipe cannot be withdrawn.")
        }
        if noClobber, ifExists != .fail, ifExists != .skip {
            throw ValidationError(
                "--no-clobber keeps existing files, unlike --if-exists \(ifExists.rawValue); give one of them."
            )
        }
        if takesOver, restart { throw ValidationError("--continue and --restart cannot be combined.") }
        try Self.checkAgree(checksum)
        if outputs.contains("") { throw ValidationError("--output needs a file name.") }
        let paths =
            outputs.map { ("--output", $0) } + [directory].compactMap { $0.map { ("--directory", $0) } }
        for (option, value) in paths where value.hasURLScheme {
            throw ValidationError("\(option) needs a path, not the URL '\(value)'.")
        }
    }

    /// The action if another file has the final name.
    var policyForExisting: ExistingFilePolicy { noClobber ? .skip : ifExists }

    /// The action for a file that the server sends encoded.
    var ifEncoded: EncodedContentPolicy { compressed ? .decode : encoded ? .store : .fail }

    /// The name for a single URL: the last one given.
    var output: String? { OutputNames.single(outputs) }

    /// True if `--output` has the form of a directory.
    var namesDirectory: Bool { output?.hasSuffix("/") ?? false }

    /// The descriptor of the shell that `--output` refers to; `nil` for a file.
    private var inherited: FileDescriptor? { output.flatMap { InheritedOutput.descriptor(named: $0) } }

    var writesToStandardOutput: Bool { inherited == .standardOutput }

    /// Returns the destination from the options, and waits until a named pipe has a reader.
    ///
    /// - Parameter waits: Called once if it has none yet.
    /// - Throws: `DownloadError` with code `badPath` if a pipe or a device cannot be opened.
    func destination(waits: (FilePath) -> Void) async throws -> DownloadRequest.Destination {
        if let inherited, let output {
            if inherited != .standardOutput { try InheritedOutput.check(inherited, output) }
            return .descriptor(inherited)
        }
        let place = Self.place(output: output, directory: directory)
        guard case .file(let path) = place, let device = OutputDevice(path) else { return place }
        return .descriptor(try await device.open { waits(path) })
    }

    /// Returns the destination of a file on disk. Blocks.
    static func place(output: String?, directory: String?) -> DownloadRequest.Destination {
        guard let output else { return .directory(FilePath(directory ?? ".")) }
        let path = directory.map { FilePath($0).pushing(FilePath(output)) } ?? FilePath(output)
        let isDirectory = (try? SystemCalls.statusFollowingLinks(path))?.kind == .directory
        return output.hasSuffix("/") || isDirectory ? .directory(path) : .file(path)
    }

    /// Checks that an option for one file is used with one URL.
    static func checkIsAlone(_ option: String, _ isGiven: Bool, _ urls: [String], list: String?) throws {
        guard isGiven, urls.count != 1 || list != nil else { return }
        let given = list == nil ? "\(urls.count) URLs are given" : "a list is given"
        throw ValidationError("\(option) requires exactly one URL, but \(given).")
    }

    /// Checks that the digests do not contradict each other.
    static func checkAgree(_ checksums: [Checksum]) throws {
        do {
            var agreed: [Checksum] = []
            for checksum in checksums { try agreed.add(checksum) }
        } catch {
            throw ValidationError(error.message)
        }
    }

    static func mediaType(_ text: String) throws -> String {
        do {
            return try MediaRange.checked(text)
        } catch {
            throw ValidationError(error.message)
        }
    }

    static func checksum(_ text: String) throws -> Checksum {
        do {
            return try Checksum(given: text)
        } catch {
            throw ValidationError(error.message)
        }
    }
}
