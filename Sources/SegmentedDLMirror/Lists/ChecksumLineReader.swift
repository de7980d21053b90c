internal import SegmentedDL

/// Reads lines of digests and names that are relative to the list's URL (`ListFormat.checksums`).
struct ChecksumLineReader: LineReader {
    private let base: Source
    private var parser = ChecksumList.LineParser()
    /// The previous item, because lists with several algorithms repeat a file in consecutive lines.
    private var open: MirrorItem?

    /// - Parameter base: The list's URL.
    init(base: Source) {
        self.base = base
    }

    mutating func take(_ line: LineSplitter.Line) -> MirrorEntry? {
        do throws(DownloadError) {
            switch parser.take(line.bytes) {
            case .nothing: return nil
            case .strange:
                throw DownloadError(
                    .invalidSetting, "The line is neither 'DIGEST  NAME' nor 'ALGORITHM (NAME) = DIGEST'.")
            case .entry(let entry): return try take(entry)
            }
        } catch {
            return Self.unusable(line.number, error)
        }
    }

    private mutating func take(_ entry: ChecksumList.Entry) throws(DownloadError) -> MirrorEntry? {
        // `sha256sum ./*` writes such names.
        let isDotted = entry.name.utf8.starts(with: "./".utf8)
        let path = try RelativePath(isDotted ? Substring(entry.name.utf8.dropFirst(2)) : entry.name[...])
        if open?.path == path {
            open?.checksums.append(entry.checksum)
            return nil
        }
        var item = MirrorItem([try base.appending(path)], path: path)
        item.checksums = [entry.checksum]
        defer { open = item }
        return finish()
    }

    mutating func finish() -> MirrorEntry? {
        defer { open = nil }
        return open.map { .item($0) }
    }
}
