extension Target {
    /// The first line is the document's name, the second the file's; the rest is the document.
    static let digestDocument = Target(name: "digest-document") { bytes in
        let lines = bytes.split(separator: 0x0a, maxSplits: 2, omittingEmptySubsequences: false)
        guard lines.count == 3 else { return }
        let (name, file) = (
            String(decoding: lines[0], as: UTF8.self), String(decoding: lines[1], as: UTF8.self)
        )
        guard let read = DigestName(name, ofFile: file) ?? DigestName(ofList: name) else { return }
        promise(read.name == name, "'\(name)' is read as '\(read.name)'")
        guard let digest = DigestDocument(Array(lines[2]))?.digest(of: file, read)?.checksum else {
            return
        }
        promise(digest.hexadecimal.utf8.count == 2 * digest.algorithm.length, "\(digest)")
        promise(!file.isEmpty, "a digest of no file")
    }
}
