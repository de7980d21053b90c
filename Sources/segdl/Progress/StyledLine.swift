/// A line for a terminal: pieces of printable text, each with a style.
///
/// Text and style are separate until the line is written, so that no escape sequence is ever counted or
/// truncated.
struct StyledLine: Sendable, Hashable {
    /// The parameters of the escape sequence that selects a style.
    enum Style: String, Sendable, Hashable {
        case normal = ""
        case bold = "1"
        case dim = "2"
        case reverse = "7"
        case red = "31"
        case green = "32"
        case cyan = "36"
    }

    struct Span: Sendable, Hashable {
        var text: String
        var style: Style
    }

    private(set) var spans: [Span] = []

    init(_ text: String = "", _ style: Style = .normal) {
        append(text, style)
    }

    mutating func append(_ text: String, _ style: Style = .normal) {
        guard !text.isEmpty else { return }
        if let last = spans.last, last.style == style {
            spans[spans.count - 1].text += text
        } else {
            spans.append(Span(text: text, style: style))
        }
    }

    var text: String { spans.map(\.text).joined() }

    func rendered(color: Bool) -> String {
        guard color else { return text }
        return spans.map { span in
            span.style == .normal ? span.text : "\u{1B}[\(span.style.rawValue)m\(span.text)\u{1B}[0m"
        }.joined()
    }

    /// Returns the line without trailing spaces: terminals differ in whether they count them when rewrapping.
    func trimmed() -> StyledLine {
        var result = self
        while let last = result.spans.last, last.text.last == " " {
            let kept = last.text.reversed().drop { $0 == " " }
            result.spans.removeLast()
            result.append(String(kept.reversed()), last.style)
            if !kept.isEmpty { break }
        }
        return result
    }

    /// Returns the number of rows of the line in a window, even if that became narrower after the line was
    /// written.
    func rows(at columns: Int) -> Int {
        var rows = 1
        var used = 0
        for character in text {
            let width = min(TextWidth.columns(character), columns)
            if used + width > columns {
                rows += 1
                used = 0
            }
            used += width
        }
        return rows
    }
}
