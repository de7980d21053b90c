/// The marks that some editors write at the beginning of text (Unicode, section 23.8).
package enum ByteOrderMark {
    /// The UTF-8 mark.
    package static let utf8: [UInt8] = [0xef, 0xbb, 0xbf]

    /// Returns true for UTF-16 text, which is never used for lists.
    package static func isUTF16(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff])
    }

    /// Returns a UTF-16 page in UTF-8; other pages are returned unchanged. UTF-16 is detected by its mark or,
    /// without one, by the zero byte next to the first character, because markup begins with an ASCII
    /// character.
    package static func inUTF8(_ page: [UInt8]) -> [UInt8] {
        guard page.count >= 2 else { return page }
        let isLittle: Bool
        switch (page[0], page[1]) {
        case (0xff, 0xfe), (1..., 0): isLittle = true
        case (0xfe, 0xff), (0, 1...): isLittle = false
        default: return page
        }
        let units = stride(from: 0, to: page.count - 1, by: 2).map { index -> UInt16 in
            let (first, second) = (UInt16(page[index]), UInt16(page[index + 1]))
            return isLittle ? second << 8 | first : first << 8 | second
        }
        return Array(
            String(decoding: units.first == 0xfeff ? units.dropFirst() : units[...], as: UTF16.self).utf8)
    }
}
