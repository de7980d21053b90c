// The fuzzer compiles these sources as one module.
internal import SegmentedDLOptions

#if canImport(SegmentedDL)
    import SegmentedDL
#endif

/// The options of one file, from the indented lines below it in a list.
struct InputOptions: Equatable, Sendable {
    /// Why a line is invalid, as a clause without a full stop.
    struct Fault: Error {
        let reason: String
    }

    var directory: String?
    /// Relative to the directory.
    var name: String?
    /// The path from the command line, for one of several URLs.
    var output: String?
    var checksums: [Checksum] = []
    var headers: [HTTPHeader] = []
    /// The names of the headers that are omitted, because each request sets them itself.
    var omittedHeaders: [String] = []
    /// The names of the options without effect, which segdl has only for all files.
    var ignoredOptions: [String] = []
    /// The accepted media types of the file; empty for those of the command line.
    var types: [String] = []
    /// Further settings of the file under aria2's names.
    var values = Aria2Values(defaults: .call)

    /// - Parameter line: `NAME=VALUE`.
    /// - Throws: `Fault`.
    mutating func take(_ line: String) throws(Fault) {
        let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
            Self.trimmed)
        guard parts.count == 2 else {
            throw Fault(reason: "an indented line is not an option; write NAME=VALUE")
        }
        let (name, value) = (parts[0], parts[1])
        do throws(DownloadError) {
            switch name {
            case "out": self.name = try RelativePath(value).text
            case "dir": directory = value
            case "checksum": try checksums.add(Checksum(given: value))
            case "header": try add(value)
            case "expect-type":
                guard MediaRange.isValid(value) else {
                    throw DownloadError(
                        .invalidSetting, "expect-type= must be a media type, such as image/png or image/*")
                }
                types.append(value)
            case "referer": try add("Referer: \(value)")
            case "user-agent": try add("User-Agent: \(value)")
            case "http-user", "http-passwd":
                throw DownloadError(
                    .invalidSetting,
                    "put the credentials of an entry in a line header=Authorization: …, or in a netrc file for --netrc"
                )
            case "http-no-cache" where value == "true": headers += Aria2Values.noCache
            case _ where Aria2Options.named[name]?.isInLists ?? false:
                try Aria2Options.named[name].map { option throws(DownloadError) in
                    try values.add(option, value)
                }
            case _ where Aria2Options.named[name]?.isPassedOverInLists ?? false:
                if value != "false", Aria2Options.named[name]?.ownName != nil { ignoredOptions.append(name) }
            default:
                // The name may contain anything, so show it only if it is plain.
                let isPlain = name.utf8.allSatisfy { (0x61...0x7a).contains($0) || $0 == UInt8(ascii: "-") }
                throw DownloadError(
                    .invalidSetting,
                    "the option \(isPlain ? "'\(name)'" : "of this line") is not supported here; remove it")
            }
        } catch {
            throw Fault(
                reason: error.message.hasSuffix(".") ? String(error.message.dropLast()) : error.message)
        }
    }

    private mutating func add(_ text: String) throws(DownloadError) {
        // The value may be a secret.
        guard let header = HTTPHeader(parsing: text) else {
            throw DownloadError(.invalidSetting, "the header is not a valid HTTP field; write NAME: VALUE")
        }
        if header.isOfConnection { omittedHeaders.append(header.name) } else { headers.append(header) }
    }

    private static func trimmed(_ text: Substring) -> String { InputList.trimmed(text) }
}
