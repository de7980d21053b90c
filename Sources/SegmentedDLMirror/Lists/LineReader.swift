internal import SegmentedDL

/// Makes entries of a list's lines.
protocol LineReader: Sendable {
    /// Takes a line.
    ///
    /// - Returns: The entry that is complete now, if one is.
    mutating func take(_ line: LineSplitter.Line) -> MirrorEntry?

    /// Takes the end.
    ///
    /// - Returns: The entry that was still open.
    mutating func finish() -> MirrorEntry?
}

extension LineReader {
    static func unusable(_ line: Int, _ error: DownloadError) -> MirrorEntry {
        .unusable(UnusableEntry(place: "line \(line)", reason: error.message))
    }
}

extension RelativePath {
    /// The path of a file that is called as its URL's path ends.
    ///
    /// - Throws: `DownloadError` with code `badPath` if it ends in nothing that can be a name.
    init(namedBy source: Source) throws(DownloadError) {
        guard !source.lastPathComponent.isEmpty else {
            throw DownloadError(.badPath, "'\(source)' ends in no name; give the file a path.")
        }
        guard !source.lastPathComponent.utf8.contains(UInt8(ascii: "/")) else {
            throw DownloadError(
                .badPath, "The name that '\(source)' ends in holds an encoded slash; give the file a path.")
        }
        try self.init(source.lastPathComponent)
    }
}

extension Checksum {
    /// Reads `sha256=HEX`, `sha-256=HEX`, or hexadecimal whose length tells the algorithm.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting`.
    init(ofList text: String) throws(DownloadError) {
        if !text.contains("="),
            let algorithm = Algorithm.allCases.first(where: { $0.length * 2 == text.utf8.count })
        {
            try self.init(algorithm, text)
        } else {
            try self.init(parsing: text)
        }
    }
}
