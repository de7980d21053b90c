import SegmentedDL
internal import SegmentedDLMirror
import SystemPackage

/// A file to check, or an invalid list.
enum VerifyItem: Sendable {
    /// A file and its expected checksum, without which its digest is only printed.
    ///
    /// - Parameter pieces: The Metalink with its pieces.
    case file(FilePath, Checksum.Algorithm, expected: Checksum?, pieces: String? = nil)
    /// A list, and why it cannot be used.
    case bad(name: String, reason: String)

    var name: String {
        switch self {
        case .file(let path, _, _, _): path.string
        case .bad(let name, _): name
        }
    }

    /// True if it has, or should have, an expected digest.
    var isCheck: Bool {
        if case .file(_, _, expected: nil, _) = self { false } else { true }
    }

    /// True for a listed file that is missing. Blocks.
    var isMissing: Bool {
        guard case .file(let path, _, expected: _?, _) = self else { return false }
        do throws(Errno) {
            _ = try SystemCalls.statusFollowingLinks(path)
            return false
        } catch {
            return error == .noSuchFileOrDirectory
        }
    }

    /// The maximum size of a list. A longer file is not inspected and counts as data.
    private static let maximumListBytes = 64 * 1024 * 1024

    /// Returns the files of a list, or the file itself, for a name on the command line.
    ///
    /// - Parameter directory: The directory that the names in a list are relative to; `nil` for that of the
    ///   list.
    static func items(
        for name: String, checksums: [Checksum], algorithm: Checksum.Algorithm, in directory: String?
    ) -> [VerifyItem] {
        let isInput = name == "-" || name == "/dev/stdin"
        let path = FilePath(name)
        if !checksums.isEmpty { return checksums.map { .file(path, $0.algorithm, expected: $0) } }
        let isList = directory != nil
        let directory = directory.map { FilePath($0) } ?? (isInput ? "" : path.removingLastComponent())
        if name.lowercased().hasSuffix(".jsonl"), let items = described(by: name, .jsonLines, in: directory) {
            return items
        }
        if isMetalink(name), let items = described(by: name, .metalink, in: directory) { return items }
        switch isInput ? inputContent() : content(of: path) {
        case .data where isInput:
            return [.bad(name: "standard input", reason: "it is not a list of checksums")]
        case .data where isList && isReadable(path):
            return [
                .bad(
                    name: name, reason: "it is not a list of checksums, and --directory applies only to lists"
                )
            ]
        case .data: return [.file(path, algorithm, expected: nil)]
        case .foreign(let reason):
            return [.bad(name: isInput ? "standard input" : name, reason: reason)]
        case .list(let list):
            return list.entries.map { entry in
                .file(
                    directory.pushing(FilePath(entry.name)), entry.checksum.algorithm,
                    expected: entry.checksum)
            } + complaints(list, name)
        }
    }

    /// True for the name of a Metalink.
    static func isMetalink(_ name: String) -> Bool {
        [".meta4", ".metalink"].contains(where: name.lowercased().hasSuffix)
    }

    private enum Content {
        case list(ChecksumList)
        /// A list that segdl cannot read, with its message.
        case foreign(String)
        case data
    }

    /// True for an existing file that is not a directory; other cases have their own errors.
    private static func isReadable(_ path: FilePath) -> Bool {
        guard let kind = (try? SystemCalls.statusFollowingLinks(path))?.kind else { return false }
        return kind != .directory
    }

    private static func inputContent() -> Content {
        guard let bytes = try? TextFile.bytes("-", atMost: maximumListBytes) else { return .data }
        if let reason = ForeignList.reason(bytes, named: "-") { return .foreign(reason) }
        let list = ChecksumList(String(decoding: bytes, as: UTF8.self))
        return list.entries.isEmpty ? .data : .list(list)
    }

    /// Returns the files in a mirror's proof or a Metalink; `nil` if it cannot be read.
    private static func described(
        by name: String, _ format: ListFormat, in directory: FilePath
    ) -> [VerifyItem]? {
        guard let text = try? TextFile.read(name, options: .nonBlocking) else { return nil }
        var entries: [MirrorEntry] = []
        do throws(DownloadError) {
            var parser = try MirrorListParser(format, name: name)
            entries = try parser.feed(Array(text.utf8))
            entries += try parser.finish()
        } catch {
            return [.bad(name: name, reason: error.message)]
        }
        guard !entries.isEmpty else { return [.bad(name: name, reason: "it lists no files")] }
        return entries.map { entry in
            switch entry {
            case .unusable(let entry):
                return .bad(name: "\(name), \(entry.place)", reason: entry.reason)
            case .item(let item):
                guard let checksum = item.strongestChecksum else {
                    return .bad(name: name, reason: "it has no digest for '\(item.path)'")
                }
                return .file(
                    directory.pushing(FilePath(item.path.text)), checksum.algorithm, expected: checksum,
                    pieces: item.pieces == nil ? nil : name)
            }
        }
    }

    private static func complaints(_ list: ChecksumList, _ name: String) -> [VerifyItem] {
        if list.entries.isEmpty {
            return [.bad(name: name, reason: "it is named like a list of checksums but contains none")]
        }
        guard let first = list.unreadableLines.first else { return [] }
        let more = list.unreadableLines.count > 1 ? " and \(list.unreadableLines.count - 1) more" : ""
        return [.bad(name: name, reason: "line \(first)\(more) is not a known kind of checksum")]
    }

    /// Reads a file. It is a list if it has an entry, or the name of a list: otherwise an invalid
    /// list would be checked as a file.
    private static func content(of path: FilePath) -> Content {
        let isNamedLikeList = isNamedLikeList(path)
        let beginning = TextFile.beginning(of: path)
        // A disk image may contain whole lists, so it must be text: text contains no NUL bytes, except in
        // UTF-16.
        let isData = !isNamedLikeList && beginning.contains(0)
        if isData, !ByteOrderMark.isUTF16(beginning) { return .data }
        // Non-blocking: otherwise the command would wait forever if it is a named pipe.
        let bytes = try? TextFile.bytes(
            path.string, atMost: isNamedLikeList ? .max : maximumListBytes, options: .nonBlocking)
        guard let bytes else { return .data }
        if let reason = ForeignList.reason(bytes, named: path) { return .foreign(reason) }
        if isData { return .data }
        let text = String(decoding: bytes, as: UTF8.self)
        var list = ChecksumList(text)
        if let entry = bareDigest(text, in: path) { (list.entries, list.unreadableLines) = ([entry], []) }
        return list.entries.isEmpty && !isNamedLikeList ? .data : .list(list)
    }

    /// Returns the entry for a file such as `disk.iso.sha256` that contains a digest but no name; `nil` for
    /// any other file.
    private static func bareDigest(_ text: String, in path: FilePath) -> ChecksumList.Entry? {
        guard let stem = path.stem, let ending = path.extension?.lowercased(),
            let algorithm = Checksum.Algorithm.hashes.first(where: {
                [$0.rawValue, "\($0.rawValue)sum"].contains(ending)
            }), let checksum = try? Checksum(algorithm, InputList.trimmed(text[...]))
        else { return nil }
        return ChecksumList.Entry(name: stem, checksum: checksum)
    }

    private static func isNamedLikeList(_ path: FilePath) -> Bool {
        let name = path.lastComponent?.string ?? ""
        // In lower case, they would match parts of many words.
        if name.contains("SUMS") || name.hasPrefix("CHECKSUM") { return true }
        let endings = ["sums", "sum", "sums.txt", "sum.txt", "checksums", "checksums.txt", ".sfv", ".crc"]
        let algorithms = Checksum.Algorithm.hashes.map { ".\($0.rawValue)" }
        return (endings + algorithms).contains(where: name.lowercased().hasSuffix)
    }
}
