import SegmentedDL
internal import SegmentedDLMirror
import SystemPackage

/// A file to check, or a list that cannot be used.
enum VerifyItem: Sendable {
    /// A file and its expected checksum; without one its digest is only printed.
    case file(FilePath, Checksum.Algorithm, expected: Checksum?)
    /// A list, and the reason why it cannot be trusted as it is.
    case bad(name: String, reason: String)

    var name: String {
        switch self {
        case .file(let path, _, _): path.string
        case .bad(let name, _): name
        }
    }

    /// True if it has an expected digest, or is meant to.
    var isCheck: Bool {
        if case .file(_, _, expected: nil) = self { false } else { true }
    }

    /// The longest list. A longer file counts as data, and its content is not inspected.
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
        let directory = directory.map { FilePath($0) } ?? (isInput ? "" : path.removingLastComponent())
        if name.lowercased().hasSuffix(".jsonl"), let items = described(by: name, .jsonLines, in: directory) {
            return items
        }
        if isMetalink(name), let items = described(by: name, .metalink, in: directory) { return items }
        guard let list = isInput ? inputList() : list(at: path) else {
            return isInput
                ? [.bad(name: "standard input", reason: "it is not a list of checksums")]
                : [.file(path, algorithm, expected: nil)]
        }
        return list.entries.map { entry in
            .file(
                directory.pushing(FilePath(entry.name)), entry.checksum.algorithm, expected: entry.checksum)
        } + complaints(list, name)
    }

    /// True for the name of a Metalink.
    static func isMetalink(_ name: String) -> Bool {
        [".meta4", ".metalink"].contains(where: name.lowercased().hasSuffix)
    }

    /// Returns the list on standard input; `nil` if it is none.
    private static func inputList() -> ChecksumList? {
        let list = (try? TextFile.read("-", atMost: maximumListBytes)).map { ChecksumList($0) }
        return list?.entries.isEmpty ?? true ? nil : list
    }

    /// Returns the files that a mirror's proof or a Metalink names; `nil` if it cannot be read.
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
        guard !entries.isEmpty else { return [.bad(name: name, reason: "it names no file")] }
        return entries.map { entry in
            switch entry {
            case .unusable(let entry):
                return .bad(name: "\(name), \(entry.place)", reason: entry.reason)
            case .item(let item):
                guard let checksum = item.strongestChecksum else {
                    return .bad(name: name, reason: "it has no digest for '\(item.path)'")
                }
                return .file(
                    directory.pushing(FilePath(item.path.text)), checksum.algorithm, expected: checksum)
            }
        }
    }

    private static func complaints(_ list: ChecksumList, _ name: String) -> [VerifyItem] {
        if list.entries.isEmpty {
            return [.bad(name: name, reason: "it is named like a list of checksums, but holds none")]
        }
        guard let first = list.unreadableLines.first else { return [] }
        let more = list.unreadableLines.count > 1 ? " and \(list.unreadableLines.count - 1) more" : ""
        return [.bad(name: name, reason: "line \(first)\(more) is not a checksum of a known kind")]
    }

    /// Returns the list in a file. A file is a list if it has an entry, or the name of a list, because
    /// otherwise a check would pass as a file.
    private static func list(at path: FilePath) -> ChecksumList? {
        let isNamedLikeList = isNamedLikeList(path)
        // A disk image may have whole lists inside.
        if !isNamedLikeList, isBinary(path) { return nil }
        // Non-blocking, because otherwise the command would wait for a pipe of that name without end.
        let text = try? TextFile.read(
            path.string, atMost: isNamedLikeList ? .max : maximumListBytes, options: .nonBlocking)
        guard let text else { return nil }
        var list = ChecksumList(text)
        if let entry = bareDigest(text, in: path) { (list.entries, list.unreadableLines) = ([entry], []) }
        return list.entries.isEmpty && !isNamedLikeList ? nil : list
    }

    /// Returns the entry that a file such as `disk.iso.sha256` stands for if it holds a digest and no name;
    /// `nil` for any other file.
    private static func bareDigest(_ text: String, in path: FilePath) -> ChecksumList.Entry? {
        guard let stem = path.stem, let ending = path.extension?.lowercased(),
            let algorithm = Checksum.Algorithm.allCases.first(where: {
                [$0.rawValue, "\($0.rawValue)sum"].contains(ending)
            }), let checksum = try? Checksum(algorithm, InputList.trimmed(text[...]))
        else { return nil }
        return ChecksumList.Entry(name: stem, checksum: checksum)
    }

    /// Returns true if the beginning of a file has a zero byte: text has none.
    private static func isBinary(_ path: FilePath) -> Bool {
        guard let file = try? FileDescriptor.open(path, .readOnly, options: .nonBlocking) else {
            return false
        }
        defer { try? file.close() }
        let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            count = (try? file.read(into: UnsafeMutableRawBufferPointer(buffer))) ?? 0
        }
        return bytes.contains(0)
    }

    private static func isNamedLikeList(_ path: FilePath) -> Bool {
        let name = path.lastComponent?.string ?? ""
        // In lower case they would be parts of many words.
        if name.contains("SUMS") || name.hasPrefix("CHECKSUM") { return true }
        let endings = ["sums", "sum", "sums.txt", "sum.txt", "checksums", "checksums.txt", ".sfv", ".crc"]
        let algorithms = Checksum.Algorithm.allCases.map { ".\($0.rawValue)" }
        return (endings + algorithms).contains(where: name.lowercased().hasSuffix)
    }
}
