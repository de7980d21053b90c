/// The facts about a file that are known before the first request.
struct ExpectedFile: Equatable, Sendable {
    /// Bytes.
    var length: Int64?
    var checksums: [Checksum] = []
    /// The names of the file given by the caller.
    var names: [String] = []

    /// True if the file has no bytes.
    var isEmpty: Bool { length == 0 || checksums.contains(where: \.isOfNothing) }

    /// Returns true for the Content-Type of a web page if a name shows that the file is not a page.
    func isOtherwise(than type: String?) -> Bool {
        WebPage.isType(type) && WebPage.isNameOfOther(names)
    }
}

extension DownloadRequest {
    /// The facts about the file in this request.
    var expectedFile: ExpectedFile {
        ExpectedFile(length: expectedLength, checksums: checksums, names: givenNames)
    }
}
