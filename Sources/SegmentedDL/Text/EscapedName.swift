/// A name for file systems that refuse characters or names that others accept: NTFS, exFAT, FAT, and
/// encrypting file systems, which also have a shorter maximum length. These characters, and the last one of a
/// device's name, are written as `%XX`, so that different names remain different.
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

    /// The devices of Windows, whose names cannot be those of files there, even with an extension.
    private static let devices = Set(
        ["con", "prn", "aux", "nul"] + (1...9).flatMap { ["com\($0)", "lpt\($0)"] })

    /// Returns the part of a name up to its first dot if Windows has a device of that name; usually `nil`.
    package static func device(_ name: some StringProtocol) -> String? {
        let stem = name.utf8.prefix(5).prefix { $0 != UInt8(ascii: ".") }
        guard stem.count == 3 || stem.count == 4 else { return nil }
        let text = String(decoding: stem, as: UTF8.self)
        return devices.contains(text.lowercased()) ? text : nil
    }

    /// Returns the name with the bytes escaped that Windows refuses.
    ///
    /// - Parameters:
    ///   - escapesAll: True to escape non-ASCII bytes too.
    ///   - escapesDevice: True to escape the last character of a device's name.
    package static func make(
        _ name: some StringProtocol, escapesAll: Bool = false, escapesDevice: Bool = false
    ) -> String {
        let last = name.utf8.count - 1
        let lastOfDevice = escapesDevice ? device(name).map { $0.utf8.count - 1 } : nil
        let bytes = name.utf8.enumerated().flatMap { index, byte in
            let isRefused =
                windows.contains(byte) || escapesAll && byte >= 0x80
                || index == last && endsDoubtfully(name)
            return isRefused || index == lastOfDevice ? PercentEncoding.escape(byte) : [byte]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
