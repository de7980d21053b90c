import SegmentedDL
internal import SegmentedDLMirror
import SystemPackage

/// One thing to check.
enum VerifyItem: Sendable {
    /// A file, and what it must have; without that its digest is only told.
    case file(FilePath, Checksum.Algorithm, expected: Checksum?)
    /// Why a list cannot be trusted as it is.
    case bad(name: String, why: String)

    var name: String {
        switch self {
        case .file(let path, _, _): path.string
        case .bad(let name, _): name
        }
    }

    /// Longer files are taken for data without a look at what is in them.
    private static let longestList = 64 * 1024 * 1024

    /// What a name on the command line stands for: the files of a list, or the file itself.
    ///
    /// - Parameter directory: What a list's names are relative to; `nil` for where it is.
    static func items(
        for name: String, checksum: Checksum?, algorithm: Checksum.Algorithm, in directory: String?
    ) -> [VerifyItem] {
        let path = FilePath(name)
        if let checksum { return [.file(path, checksum.algorithm, expected: checksum)] }
        let directory = directory.map { FilePath($0) } ?? path.removingLastComponent()
        if name.lowercased().hasSuffix(".jsonl"), let items = proof(name, in: directory) { return items }
        guard let list = list(at: path) else { return [.file(path, algorithm, expected: nil)] }
        return list.entries.map { entry in
            .file(
                directory.pushing(FilePath(entry.name)), entry.checksum.algorithm, expected: entry.checksum)
        } + complaints(list, name)
    }

    /// The files that JSON lines name; `nil` if they cannot be read.
    private static func proof(_ name: String, in directory: FilePath) -> [VerifyItem]? {
        guard let text = try? TextFile.read(name, options: .nonBlocking) else { return nil }
        var entries: [MirrorEntry] = []
        do throws(DownloadError) {
            var parser = try MirrorListParser(.jsonLines, name: name)
            entries = try parser.feed(Array(text.utf8))
            entries += try parser.finish()
        } catch {
            return [.bad(name: name, why: error.message)]
        }
        guard !entries.isEmpty else { return [.bad(name: name, why: "it names no file")] }
        return entries.map { entry in
            switch entry {
            case .unusable(let entry):
                return .bad(name: "\(name), \(entry.place)", why: entry.reason)
            case .item(let item):
                guard let checksum = item.checksums.first else {
                    return .bad(name: name, why: "it has no digest for '\(item.path)'")
                }
                return .file(
                    directory.pushing(FilePath(item.path.text)), checksum.algorithm, expected: checksum)
            }
        }
    }

    private static func complaints(_ list: ChecksumList, _ name: String) -> [VerifyItem] {
        if list.entries.isEmpty {
            return [.bad(name: name, why: "it is named like a list of checksums, but holds none")]
        }
        guard let first = list.strangeLines.first else { return [] }
        let more = list.strangeLines.count > 1 ? " and \(list.strangeLines.count - 1) more" : ""
        return [.bad(name: name, why: "line \(first)\(more) is no checksum of a known kind")]
    }

    /// A list is what has an entry, or is named like one: what is meant as a check must not pass as a file.
    private static func list(at path: FilePath) -> ChecksumList? {
        let isNamedLikeList = isNamedLikeList(path)
        // A disk image may have whole lists inside.
        if !isNamedLikeList, isBinary(path) { return nil }
        // Non-blocking: a pipe of that name would be waited for without end.
        let text = try? TextFile.read(
            path.string, atMost: isNamedLikeList ? .max : longestList, options: .nonBlocking)
        guard let text else { return nil }
        let list = ChecksumList(text)
        return list.entries.isEmpty && !isNamedLikeList ? nil : list
    }

    /// Whether its beginning has a zero byte, as text has none.
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
        let name = path.lastComponent?.string.lowercased() ?? ""
        let endings = ["sums", "sum", "sums.txt", "sum.txt", "checksums", "checksums.txt"]
        let algorithms = Checksum.Algorithm.allCases.map { ".\($0.rawValue)" }
        return (endings + algorithms).contains(where: name.hasSuffix)
    }
}
