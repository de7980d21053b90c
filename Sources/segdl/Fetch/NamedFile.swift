internal import SegmentedDL

/// A file as the command line or a list names it.
struct NamedFile: Equatable, Sendable {
    var url: String
    /// Further sources of the same file.
    var mirrors: [String] = []
    /// The name that the command line gives it, beside other URLs.
    var output: String?
    /// The options that its list gives it.
    var options = InputOptions()
    /// The list and the line that name it.
    var place: String?
    /// True if the line of the list cannot be read; `url` is the reason then.
    var isWrong = false
}

extension NamedFile {
    /// - Parameter list: The name of the list.
    init(_ entry: InputList.Entry, of list: String) {
        switch entry {
        case .file(let file):
            self.init(
                url: file.urls[0], mirrors: Array(file.urls.dropFirst()), options: file.options,
                place: "\(list):\(file.line)")
        case .wrong(let reason, let line):
            self.init(url: reason, place: "\(list):\(line)", isWrong: true)
        }
    }

    /// Returns the files without those that are named twice: a second download would want the same file.
    static func distinct(_ files: [NamedFile]) -> [NamedFile] {
        // By hashes, because a list may have very many files.
        var first: [Int: Int] = [:]
        return files.indices.filter { index in
            guard let earlier = first[files[index].key] else {
                first[files[index].key] = index
                return true
            }
            return !files[index].isSame(as: files[earlier])
        }
        .map { files[$0] }
    }

    /// The URL in the one spelling of all that mean the same.
    private var identity: String { (try? Source(url))?.identity ?? url }

    private var key: Int {
        var hasher = Hasher()
        for text in [identity, output, options.directory, options.name] { hasher.combine(text) }
        return hasher.finalize()
    }

    private func isSame(as other: NamedFile) -> Bool {
        var other = other
        other.place = place
        if let source = try? Source(url), source == (try? Source(other.url)) { other.url = url }
        return !isWrong && self == other
    }
}
