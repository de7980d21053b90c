import SegmentedDL
import SegmentedDLOptions

extension InputList {
    /// Returns the lines for a file. An unreadable line becomes a comment.
    static func text(of file: NamedFile) -> String {
        guard !file.isWrong else { return "# \(file.place.map { "\($0): " } ?? "")\(file.url)\n" }
        var lines = [([file.url] + file.mirrors).joined(separator: "\t")]
        lines += file.options.text(output: file.output).map { " " + $0 }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension InputOptions {
    /// Returns the options as `NAME=VALUE`.
    ///
    /// - Parameter output: The path from the command line; `nil` if none.
    fileprivate func text(output: String?) -> [String] {
        [directory.map { "dir=\($0)" }, (name ?? output).map { "out=\($0)" }].compactMap(\.self)
            + checksums.map { "checksum=\($0)" } + headers.map { "header=\($0.name): \($0.value)" }
            + types.map { "expect-type=\($0)" }
            + values.given.sorted { $0.key < $1.key }.flatMap { name, values in
                values.map { "\(name)=\($0)" }
            }
    }
}
