import SegmentedDLOptions

/// aria2's list of URIs: each line has the sources of one file, separated by tabs; indented options of that
/// file follow (aria2's manual, Input File).
struct Aria2List: Equatable {
    struct Entry: Equatable {
        var uris: [String]
        var values = Aria2Values()
    }

    private(set) var entries: [Entry] = []
    /// The lines with options unknown to aria2.
    private(set) var unknown: [String] = []

    /// - Throws: `Aria2Failure` for an invalid value.
    init(_ text: String, home: String?) throws(Aria2Failure) {
        for line in InputList.withoutMark(text[...]).split(whereSeparator: \.isNewline) {
            let content = InputList.trimmed(line)
            if line.hasPrefix("#") || content.isEmpty { continue }
            guard line.first?.isWhitespace ?? false, let last = entries.indices.last else {
                let uris = content.split(separator: "\t").map { InputList.trimmed($0) }
                entries.append(Entry(uris: uris.filter { !$0.isEmpty }))
                continue
            }
            let parts = content.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let option = Aria2Options.named[InputList.trimmed(parts[0])] else {
                unknown.append(content)
                continue
            }
            try entries[last].values.set(option, InputList.trimmed(parts[1]), home: home)
        }
    }
}
