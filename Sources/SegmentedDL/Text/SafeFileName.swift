/// Sanitizes a file name sent by a server.
///
/// It works on Unicode scalars, because a separator and a following combining mark form a different
/// `Character`, but the file system still sees a separator.
enum SafeFileName {
    /// The maximum length in bytes of a file name on common file systems.
    static let longest = 255

    /// The maximum length in bytes of a name that leaves room for any suffix of this library.
    static let longestWithEndings = longest - longestEnding
    /// The length to which longer names are shortened.
    static let cutLength = longestWithEndings - 1

    /// The suffixes of the files that a download writes in addition to its part file.
    private static let stateEndings = [".part.segdl", ".part.segdl.new", ".part.move"]

    /// Returns the name without separators, control characters, and leading or trailing dots and spaces,
    /// shortened if it is too long. Leading dots would hide the file, and some systems drop trailing dots and
    /// spaces.
    ///
    /// - Returns: `nil` if no character is left.
    static func make(_ received: some StringProtocol) -> String? {
        make(received, keepsDots: false)
    }

    /// - Parameter keepsDots: True for a name in a URL from the caller: its leading and trailing dots are
    ///   kept, as in `.gitignore`.
    static func make(_ received: some StringProtocol, keepsDots: Bool) -> String? {
        if isSafe(received) { return String(received) }
        func isTrimmed(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "." && !keepsDots }
        // Servers send whole paths, some with backslashes: only the last component is a name.
        let parts = received.unicodeScalars.split { $0 == "/" || $0 == "\\" }
        let visible = parts.last?.lazy.filter(isVisible).drop(while: isTrimmed)
        var name = String.UnicodeScalarView()
        if let visible { name.append(contentsOf: visible) }
        name = shortened(name)
        while let last = name.last, isTrimmed(last) { name.removeLast() }
        // These are directories.
        if ["", ".", ".."].contains(String(name)) { return nil }
        // Such a file would be overwritten by another download's manifest, or taken for it.
        if isOfState(String(name)) {
            name.append("_")
            name = shortened(name)
        }
        return String(name)
    }

    /// True for an obviously safe name, as nearly all are.
    private static func isSafe(_ name: some StringProtocol) -> Bool {
        var (count, last) = (0, UInt8(ascii: "."))
        for byte in name.utf8 {
            let isPlain =
                switch byte {
                case UInt8(ascii: "/"), UInt8(ascii: "\\"): false
                case UInt8(ascii: "."), UInt8(ascii: " "): count > 0
                default: byte > 0x20 && byte < 0x7f
                }
            guard isPlain else { return false }
            (count, last) = (count + 1, byte)
        }
        return last != UInt8(ascii: ".") && last != UInt8(ascii: " ") && count <= longest
            && !isOfState(String(name))
    }

    /// Returns true if a name has the suffix of a manifest, which no file may have. A file may end in
    /// `.part`: an existing part file is recognized by its manifest (`OwnFiles`).
    static func isOfState(_ name: String) -> Bool { !ending(of: name, stateEndings).isEmpty }

    /// Returns the suffix that makes a name look like that of a part file or manifest; empty if it has none.
    static func ourEnding(of name: String) -> String { ending(of: name, [".part"] + stateEndings) }

    private static func ending(of name: String, _ endings: [String]) -> String {
        // Few names have such letters after a dot, and converting the case takes time.
        let ending = name.utf8.suffix(longestEnding)
        guard ending.contains(UInt8(ascii: ".")) else { return "" }
        let lowered = ending.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
        return endings.first { lowered.reversed().starts(with: $0.utf8.reversed()) } ?? ""
    }

    private static let longestEnding = ".part.segdl.new".utf8.count

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        // Most names are ASCII: the lookup costs more than everything else here.
        if scalar.isASCII { return !scalar.isControl }
        return switch scalar.properties.generalCategory {
        // Format characters include those that change the text direction, which can disguise an extension.
        case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    /// Returns the longest prefix of whole scalars with at most this many bytes.
    static func prefix(of name: String, bytes: Int) -> String {
        var room = bytes
        return String(
            String.UnicodeScalarView(
                name.unicodeScalars.prefix { scalar in
                    room -= UTF8.width(scalar)
                    return room >= 0
                }))
    }

    /// Shortens the stem, not the extension.
    private static func shortened(_ name: String.UnicodeScalarView) -> String.UnicodeScalarView {
        guard bytes(name) > longest else { return name }
        // Stay below the maximum, because a number and a suffix may be appended.
        var stem = name[...]
        var ending = name[name.endIndex...]
        if let dot = name.lastIndex(of: "."), dot > name.startIndex, bytes(name[dot...]) <= 20 {
            stem = name[..<dot]
            ending = name[dot...]
        }
        // A server may send 100 KB, so visit each scalar only once.
        var room = cutLength - bytes(ending)
        stem = stem.prefix { scalar in
            room -= UTF8.width(scalar)
            return room >= 0
        }
        return String.UnicodeScalarView(stem + ending)
    }

    private static func bytes(_ scalars: some Sequence<Unicode.Scalar>) -> Int {
        scalars.reduce(0) { $0 + UTF8.width($1) }
    }
}

extension Source {
    /// The file name in the caller's URL, sanitized; `nil` if it has none. A name of spaces keeps its
    /// escapes.
    package var fileName: String? {
        let isBlank = !lastPathComponent.isEmpty && lastPathComponent.utf8.allSatisfy { $0 == 0x20 }
        let name = isBlank ? PercentEncoding.query(lastPathComponent) : lastPathComponent
        return SafeFileName.make(name, keepsDots: true)
    }
}
