/// The end of a page in HTML, which may show that the server stopped in the middle.
///
/// A page is truncated if it ends inside a tag, if its last link has no end tag, or if it opens `html` and
/// closes neither that nor `body`. The end of `body` or `html` also ends a link.
package struct PageEnd {
    /// True if the page is truncated.
    package let isCut: Bool
    /// The number of bytes before a tag that has no end.
    package let wholeBytes: Int

    package init(of page: [UInt8]) {
        var (hasDocument, isLinkOpen, isEnded, lastTag) = (false, false, false, -1)
        for index in page.indices where page[index] == UInt8(ascii: "<") {
            let rest = page[(index + 1)...]
            guard Self.beginsTag(rest) else { continue }
            lastTag = index
            if Self.isTag("a", rest) {
                isLinkOpen = true
            } else if Self.isTag("/a", rest) {
                isLinkOpen = false
            } else if Self.isTag("html", rest) {
                hasDocument = true
            } else if Self.isTag("/html", rest) || Self.isTag("/body", rest) {
                (isLinkOpen, isEnded) = (false, true)
            }
        }
        let isTagOpen = lastTag >= 0 && !page[lastTag...].contains(UInt8(ascii: ">"))
        wholeBytes = isTagOpen ? lastTag : page.count
        isCut = isTagOpen || isLinkOpen || hasDocument && !isEnded
    }

    /// Returns true unless the bytes after `<` show that it is text.
    private static func beginsTag(_ rest: ArraySlice<UInt8>) -> Bool {
        guard let first = rest.first else { return true }
        return isLetter(first) || first == UInt8(ascii: "/") || first == UInt8(ascii: "!")
    }

    /// Returns true if the bytes after `<` begin with the name of a tag, and nothing extends the name.
    private static func isTag(_ name: StaticString, _ rest: ArraySlice<UInt8>) -> Bool {
        name.withUTF8Buffer { name in
            guard rest.count > name.count,
                zip(name, rest).allSatisfy({ $0 == (isLetter($1) ? $1 | 0x20 : $1) })
            else { return false }
            let next = rest[rest.startIndex + name.count]
            return next <= 0x20 || next == UInt8(ascii: ">") || next == UInt8(ascii: "/")
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
