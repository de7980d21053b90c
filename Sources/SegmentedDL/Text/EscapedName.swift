/// A name for file systems that refuse characters accepted by others (NTFS, exFAT, FAT, and encrypting ones,
/// which also limit names to fewer bytes). Such characters are written as `%XX`, so that different names
/// remain different.
package enum EscapedName {
    /// The characters that Windows file systems refuse.
    private static let windows = Array("\"*:<>?|\\".utf8)

    /// Returns the distinct characters of a name that some file systems refuse; usually there are none.
    package static func doubtful(_ name: some StringProtocol) -> String {
        let bytes = name.utf8
        guard bytes.contains(where: { $0 >= 0x80 || windows.contains($0) }) || endsDoubtfully(name) else {
            return ""
        }
        let scalars = Set(name.unicodeScalars.filter { !$0.isASCII || windows.contains(UInt8($0.value)) })
        let characters = scalars.sorted { $0.value < $1.value }.map { String(Character($0)) }.joined()
        return endsDoubtfully(name) ? characters + String(name.suffix(1)) : characters
    }

    /// Some file systems drop trailing dots and spaces.
    private static func endsDoubtfully(_ name: some StringProtocol) -> Bool {
        name.hasSuffix(".") || name.hasSuffix(" ")
    }

    /// Returns the name with escapes for the bytes that Windows refuses.
    ///
    /// - Parameter escapesAll: True to escape non-ASCII bytes too.
    package static func make(_ name: some StringProtocol, escapesAll: Bool = false) -> String {
        let last = name.utf8.count - 1
        let bytes = name.utf8.enumerated().flatMap { index, byte in
            let isRefused =
                windows.contains(byte) || escapesAll && byte >= 0x80
                || index == last && endsDoubtfully(name)
            return isRefused ? escape(byte) : [byte]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func escape(_ byte: UInt8) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}
