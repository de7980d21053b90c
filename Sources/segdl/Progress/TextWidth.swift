/// The width of text in terminal columns, and functions to change it.
///
/// Terminals disagree about emoji that are joined from several characters. The widths here are the maximum,
/// because a line that is narrower than computed only looks ragged, whereas a wider one would wrap and
/// corrupt the lines that are redrawn in place.
enum TextWidth {
    enum Cut: Sendable {
        case middle, end
    }

    /// Returns the width of text without control characters.
    static func columns(_ text: String) -> Int {
        text.reduce(0) { $0 + columns($1) }
    }

    static func columns(_ character: Character) -> Int {
        var sum = 0
        var isEmoji = false
        for scalar in character.unicodeScalars {
            sum += columns(scalar)
            // A variation selector or a flag letter makes a character of one column an emoji of two.
            isEmoji = isEmoji || scalar.value == 0xFE0F || (0x1F1E6...0x1F1FF).contains(scalar.value)
        }
        return isEmoji ? max(2, sum) : sum
    }

    /// Returns text that can be printed on one line of a terminal or log.
    ///
    /// A character becomes `?` if it would move the cursor, start an escape sequence or change the writing
    /// direction, or is invisible. With `ascii`, so do all other non-ASCII characters.
    static func printable(_ text: String, ascii: Bool = false) -> String {
        if ascii {
            // One question mark per character, not per scalar.
            return String(text.map { $0.isASCII && isPrintable($0) ? $0 : "?" })
        }
        // Hardly any text needs to be changed.
        guard text.unicodeScalars.contains(where: { !isPrintable($0) }) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            result.append(isPrintable(scalar) ? scalar : "?")
        }
        return String(result)
    }

    /// Returns at most `limit` columns of the text, with `ellipsis` in place of the rest.
    static func shortened(
        _ text: String, to limit: Int, cut: Cut = .end, ellipsis: Character = "…"
    ) -> String {
        guard columns(text) > limit else { return text }
        let room = limit - columns(ellipsis)
        guard room >= 0 else { return "" }
        // A file name ends with its extension, which is more important than its middle.
        let tailRoom = cut == .middle ? room / 2 : 0
        let tail = String(fitting(text.reversed(), tailRoom).reversed())
        let head = String(fitting(text, room - columns(tail)))
        return head + String(ellipsis) + tail
    }

    /// Returns the text with spaces after it, or before it, up to `width` columns.
    static func padded(_ text: String, to width: Int, leading: Bool = false) -> String {
        let spaces = String(repeating: " ", count: max(0, width - columns(text)))
        return leading ? spaces + text : text + spaces
    }

    private static func fitting(_ text: some Sequence<Character>, _ room: Int) -> [Character] {
        var left = room
        var result: [Character] = []
        for character in text {
            left -= columns(character)
            guard left >= 0 else { break }
            result.append(character)
        }
        return result
    }

    private static func isPrintable(_ character: Character) -> Bool {
        character.unicodeScalars.allSatisfy(isPrintable)
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        // Joiners are part of scripts and emoji; other format characters hide or reorder text.
        case .format: scalar.value == 0x200C || scalar.value == 0x200D || isTag(scalar)
        default: true
        }
    }

    /// Returns true for the tag characters that specify a region after a black flag.
    private static func isTag(_ scalar: Unicode.Scalar) -> Bool {
        (0xE0020...0xE007F).contains(scalar.value)
    }

    private static func columns(_ scalar: Unicode.Scalar) -> Int {
        if scalar.isASCII { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        // The vowels and finals of Korean syllables in decomposed form.
        if (0x1160...0x11FF).contains(scalar.value) || (0xD7B0...0xD7FF).contains(scalar.value) { return 0 }
        // Two flag letters make one flag.
        if (0x1F1E6...0x1F1FF).contains(scalar.value) { return 1 }
        if scalar.properties.isEmojiPresentation { return 2 }
        return wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    /// East Asian Width W and F, with the small gaps filled in (Unicode 16, EastAsianWidth.txt).
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2630...0x2637, 0x268A...0x268F, 0x2E80...0x303E, 0x3041...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
        0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1D300...0x1D376, 0x1F200...0x1F2FF,
        0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD,
    ]
}
