internal import SegmentedDL

/// A file named by the command line or a list.
struct NamedFile: Equatable, Sendable {
    var url: String
    /// Further sources of the same file.
    var mirrors: [String] = []
    /// The name from the command line, for one of several URLs.
    var output: String?
    /// The options from its list.
    var options = InputOptions()
    /// The list and the line that name it.
    var place: String?
    /// True if the line of the list is invalid; `url` is the reason then.
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

    /// Returns the files without duplicates: a second download would write the same file.
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

    /// The canonical spelling of the URL.
    private var identity: String { (try? Source(named: url))?.identity ?? url }

    private var key: Int {
        var hasher = Hasher()
        for text in [identity, output, options.directory, options.name] { hasher.combine(text) }
        return hasher.finalize()
    }

    private func isSame(as other: NamedFile) -> Bool {
        var other = other
        other.place = place
        if let source = try? Source(named: url), source == (try? Source(named: other.url)) { other.url = url }
        return !isWrong && self == other
    }
}
