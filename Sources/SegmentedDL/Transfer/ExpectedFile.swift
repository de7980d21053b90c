/// The facts about a file that are known before its server is asked for it.
struct ExpectedFile: Equatable, Sendable {
    /// Bytes.
    var length: Int64?
    var checksums: [Checksum] = []
    /// The names of the file that the caller gave.
    var names: [String] = []

    /// True if the file has no bytes.
    var isEmpty: Bool { length == 0 || checksums.contains(where: \.isOfNothing) }

    /// Returns true for the Content-Type of a web page where a name says that the file is none.
    func isOtherwise(than type: String?) -> Bool {
        WebPage.isType(type) && WebPage.isNameOfOther(names)
    }
}

extension DownloadRequest {
    /// The facts about the file that this request knows.
    var expectedFile: ExpectedFile {
        ExpectedFile(length: expectedLength, checksums: checksums, names: givenNames)
    }
}
