/// Makes a name that a server chose harmless on disk.
enum SafeFileName {
    /// Bytes that a final name may have, so that `NAME.part.segdl.new` fits into the usual 255.
    static let longest = 255 - ".part.segdl.new".utf8.count

    /// The name with separators, control characters and leading dots gone, and its length bounded.
    ///
    /// - Returns: `nil` if nothing is left.
    static func make(_ received: some StringProtocol) -> String? {
        // Servers send whole paths, also with backslashes: only the last part is a name.
        let last = String(received.split { $0 == "/" || $0 == "\\" }.last ?? "")
        var name = String(
            last.unicodeScalars.compactMap { scalar -> Character? in
                switch scalar.properties.generalCategory {
                // Format characters include those that reverse the direction of text to hide an ending.
                case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator: nil
                default: Character(scalar)
                }
            })
        while let first = name.first, first == "." || first == " " { name.removeFirst() }
        while let end = name.last, end == "." || end == " " { name.removeLast() }
        guard !name.isEmpty else { return nil }
        return shortened(name)
    }

    /// Cuts the stem, not the ending.
    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > longest else { return name }
        var stem = name
        var ending = ""
        if let dot = name.lastIndex(of: "."), name[dot...].utf8.count <= 20 {
            stem = String(name[..<dot])
            ending = String(name[dot...])
        }
        while stem.utf8.count + ending.utf8.count > longest { stem.removeLast() }
        return stem + ending
    }
}
