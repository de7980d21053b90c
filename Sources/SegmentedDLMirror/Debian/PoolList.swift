internal import SegmentedDL

/// The files listed in an index of packages (`Packages`) or of sources (`Sources`).
struct PoolList {
    private let root: Source
    private let name: String
    private let isOfSources: Bool
    private var fields: ControlFields
    private var count = 0

    /// - Parameters:
    ///   - root: The URL that paths are relative to.
    ///   - name: The name of the index in messages.
    init(isOfSources: Bool, root: Source, name: String) {
        self.isOfSources = isOfSources
        self.root = root
        self.name = name
        fields = ControlFields(
            isOfSources ? ["directory", "checksums-sha256"] : ["filename", "size", "sha256"], name: name)
    }

    /// Returns the files of the paragraphs completed by these bytes.
    ///
    /// - Throws: `DownloadError` with code `badResponse` or `invalidSetting` if the text is not an index.
    mutating func feed(_ bytes: some Collection<UInt8>) throws(DownloadError) -> [MirrorEntry] {
        entries(of: try fields.feed(bytes))
    }

    /// Returns the last files.
    ///
    /// - Throws: The errors of `feed(_:)`.
    mutating func finish() throws(DownloadError) -> [MirrorEntry] { entries(of: try fields.finish()) }

    private mutating func entries(of paragraphs: [[ControlFields.Field]]) -> [MirrorEntry] {
        paragraphs.flatMap { paragraph in
            count += 1
            return isOfSources ? sources(paragraph) : [package(paragraph)]
        }
    }

    private func package(_ paragraph: [ControlFields.Field]) -> MirrorEntry {
        guard let path = paragraph["filename"]?.value, let size = paragraph["size"]?.value,
            let digest = paragraph["sha256"]?.value
        else { return unusable("it lacks Filename, Size or SHA256") }
        return entry(path, size: size, digest)
    }

    private func sources(_ paragraph: [ControlFields.Field]) -> [MirrorEntry] {
        guard let directory = paragraph["directory"]?.value, let sums = paragraph["checksums-sha256"] else {
            return [unusable("it lacks Directory or Checksums-Sha256")]
        }
        return sums.lines.map { line in
            let words = line.split { $0 == " " || $0 == "\t" }
            guard words.count == 3 else {
                return unusable("a line of Checksums-Sha256 does not have three words")
            }
            let path = directory == "." ? String(words[2]) : "\(directory)/\(words[2])"
            return entry(path, size: String(words[1]), String(words[0]))
        }
    }

    private func entry(_ text: String, size: String, _ digest: String) -> MirrorEntry {
        guard let size = Int64(size), (0...ContentRange.largest).contains(size) else {
            return unusable("'\(Printable.text(size))' is not a number of bytes")
        }
        do throws(DownloadError) {
            let path = try RelativePath(text.hasPrefix("./") ? text.dropFirst(2) : text[...])
            var item = MirrorItem([try root.appending(path)], path: path, size: size)
            item.checksums = [try Checksum(.sha256, digest)]
            return .item(item)
        } catch {
            return .unusable(UnusableEntry(place: place, error))
        }
    }

    private func unusable(_ reason: String) -> MirrorEntry {
        .unusable(UnusableEntry(place: place, reason: "The paragraph does not describe a file: \(reason)."))
    }

    private var place: String { "\(name), paragraph \(count)" }
}
