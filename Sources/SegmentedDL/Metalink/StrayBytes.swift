/// Replaces the bytes of an HTML page that are not UTF-8 with their percent-escapes, as the bytes arrive.
///
/// Servers copy the names of files into links byte by byte, whatever their coding, and in a link an escape
/// means the same as its byte. libxml2 would read such a byte, and all bytes after it, as Latin-1.
///
/// A page in UTF-16 is left to libxml2, and so is one that declares another coding: libxml2 converts it, as
/// browsers do.
struct StrayBytes {
    /// The part of a page, in bytes, in which browsers look for a declaration (HTML, section 13.2.3.2).
    private static let declarationBytes = 1024

    /// `nil` before the first bytes.
    private var isOtherCoding: Bool?
    /// The bytes at the end of the previous ones that may begin a longer sequence.
    private var held: [UInt8] = []

    /// Returns the next bytes without stray ones. Bytes whose sequence may continue are returned by the next
    /// call.
    ///
    /// - Parameters:
    ///   - bytes: In the first call, at least the first 1024 bytes of a page that has as many.
    ///   - isLast: True if no bytes follow.
    mutating func escaped(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
        let isOther = isOtherCoding ?? Self.hasOtherCoding(bytes)
        isOtherCoding = isOther
        guard !isOther else { return bytes }
        let all = held + bytes
        let heldCount = isLast ? 0 : Self.unfinishedCount(all)
        held = Array(all.suffix(heldCount))
        let whole = Array(all.dropLast(heldCount))
        let isUTF8 = String(decoding: whole, as: UTF8.self).utf8.elementsEqual(whole)
        return isUTF8 ? whole : Array(PercentEncoding.text(whole).utf8)
    }

    /// Returns the number of bytes at the end that may begin a longer sequence (RFC 3629, section 3).
    private static func unfinishedCount(_ bytes: [UInt8]) -> Int {
        for (index, byte) in bytes.suffix(3).reversed().enumerated() where byte & 0xc0 != 0x80 {
            let length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
            return length > index + 1 ? index + 1 : 0
        }
        return 0
    }

    private static func hasOtherCoding(_ page: [UInt8]) -> Bool {
        if ByteOrderMark.isUTF16(page) { return true }
        let start = String(decoding: page.prefix(declarationBytes), as: UTF8.self).lowercased()
        return start.split(separator: "<meta", omittingEmptySubsequences: false).dropFirst().contains {
            rest in
            let tag = String(rest.prefix { $0 != ">" })
            return tag.contains("charset") && !tag.contains("utf-8") && !tag.contains("utf8")
        }
    }
}
