import SegmentedDL
import SegmentedDLOptions

extension InputList {
    /// Returns the lines for an entry of a list. An invalid entry is written as a comment.
    static func text(of entry: Entry, in list: String) -> String {
        switch entry {
        case .wrong(let reason, let line): "# \(list):\(line): \(reason)\n"
        case .file(let file):
            ([file.urls.joined(separator: "\t")] + file.options.lines.map { " " + $0 })
                .joined(separator: "\n") + "\n"
        }
    }
}

extension InputOptions {
    /// The options as `NAME=VALUE`.
    fileprivate var lines: [String] {
        [directory.map { "dir=\($0)" }, (name ?? output).map { "out=\($0)" }].compactMap(\.self)
            + checksums.map { "checksum=\($0)" } + headers.map { "header=\($0.name): \($0.value)" }
            + types.map { "expect-type=\($0)" }
            + values.given.sorted { $0.key < $1.key }.flatMap { name, values in
                values.map { "\(name)=\($0)" }
            }
    }
}
