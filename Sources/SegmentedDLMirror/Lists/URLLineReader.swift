internal import SegmentedDL
internal import SegmentedDLOptions

/// Reads aria2's input file (aria2c(1), "Input File").
struct URLLineReader: LineReader {
    private struct Open {
        var line: Int
        var urls: [String]
        var directory: String?
        var name: String?
        var checksums: [Checksum] = []
        var headers: [HTTPHeader] = []
        var types: [String] = []
        var values = Aria2Values()
        var fault: (line: Int, error: DownloadError)?
    }

    private let hub: HubFileURL?
    private var open: Open?

    init(hub: HubFileURL?) {
        self.hub = hub
    }

    mutating func take(_ line: LineSplitter.Line) -> MirrorEntry? {
        let text = String(decoding: line.bytes, as: UTF8.self)
        let content = text.trimmingBlanks()
        if content.isEmpty || line.bytes.first == UInt8(ascii: "#") { return nil }
        guard line.bytes.first == UInt8(ascii: " ") || line.bytes.first == UInt8(ascii: "\t") else {
            defer {
                let urls = line.bytes.split(separator: UInt8(ascii: "\t")).map {
                    String(String(decoding: $0, as: UTF8.self).trimmingBlanks())
                }
                open = Open(line: line.number, urls: urls.filter { !$0.isEmpty })
            }
            return finish()
        }
        do throws(DownloadError) {
            guard open != nil else {
                throw DownloadError(
                    .invalidSetting,
                    "An option precedes the first URL; remove the spaces before the URL.")
            }
            try takeOption(content)
        } catch {
            if open == nil { return Self.unusable(line.number, error) }
            if open?.fault == nil { open?.fault = (line.number, error) }
        }
        return nil
    }

    private mutating func takeOption(_ text: Substring) throws(DownloadError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0].trimmingBlanks())
        guard parts.count == 2 else {
            throw DownloadError(
                .invalidSetting, "'\(Printable.text(name))' is not an option; write NAME=VALUE.")
        }
        let value = String(parts[1].trimmingBlanks())
        switch name {
        case "dir": open?.directory = value
        case "out": open?.name = value
        case "checksum": try open?.checksums.add(Checksum(given: value))
        case "header": open?.headers.append(try Self.header(value))
        case "referer" where value == "*":
            throw DownloadError(.invalidSetting, "The referer * is not supported here; write the URL.")
        case "referer": open?.headers.append(try Self.header("Referer: \(value)"))
        case "user-agent": open?.headers.append(try Self.header("User-Agent: \(value)"))
        case "expect-type": open?.types.append(try MediaRange.checked(value))
        case "http-no-cache" where value == "true": open?.headers += Aria2Values.noCache
        // The default of aria2. A mirror replaces its own copies.
        case "allow-overwrite" where value == "false": break
        case let name where Aria2Options.named[name]?.isInLists ?? false:
            guard let option = Aria2Options.named[name] else { break }
            guard !option.isRefusedByMirrors || value == "false" else {
                throw DownloadError(
                    .invalidSetting,
                    "Files of a mirror have fixed names, and unfinished ones are always resumed; remove \(name)=."
                )
            }
            try open?.values.add(option, value)
        case let name where Aria2Options.named[name]?.isPassedOverInLists ?? false: break
        default:
            throw DownloadError(
                .invalidSetting,
                "The option '\(Printable.text(name))' is not supported here; remove it, or download this file by other means."
            )
        }
    }

    private static func header(_ text: String) throws(DownloadError) -> HTTPHeader {
        // The value may be a secret: show only the name.
        guard let header = HTTPHeader(parsing: text) else {
            let name = text.prefix { $0 != ":" }
            throw DownloadError(
                .invalidSetting,
                "The header '\(Printable.text(name))' is not a valid HTTP field; write NAME: VALUE.")
        }
        return header
    }

    mutating func finish() -> MirrorEntry? {
        guard let closed = open else { return nil }
        open = nil
        if let fault = closed.fault { return Self.unusable(fault.line, fault.error) }
        do throws(DownloadError) {
            if closed.urls.first?.hasPrefix("{") ?? false {
                throw DownloadError(
                    .invalidSetting,
                    "The line is a JSON object, not a URL; give the list a name that ends in .jsonl, or specify its format (jsonl)."
                )
            }
            let listed = try ListedSources(closed.urls, hub: hub)
            guard let first = listed.sources.first else { return nil }
            let name =
                if let name = closed.name { name } else { try RelativePath(namedBy: first).text }
            let path = closed.directory.map { ($0.hasSuffix("/") ? $0 : $0 + "/") + name } ?? name
            var item = MirrorItem(listed.sources, path: try RelativePath(path))
            item.hubLocation = listed.location
            item.checksums = closed.checksums
            item.headers = closed.headers
            item.expectedTypes = closed.types
            item.options = closed.values.given
            return .item(item)
        } catch {
            return Self.unusable(closed.line, error)
        }
    }
}
