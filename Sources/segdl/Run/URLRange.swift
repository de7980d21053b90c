/// The ranges and lists in URLs that curl and aria2 expand, but segdl does not.
enum URLRange {
    /// Returns the equivalent shell braces for a range such as `[1-3]` or `[a-c:2]`, and for a list such as
    /// `{one,two}`; `nil` if the URL has none.
    static func example(in url: String) -> String? {
        let url = url.replacing("%5B", with: "[").replacing("%5D", with: "]").replacing("%7B", with: "{")
            .replacing("%7D", with: "}").replacing("%2C", with: ",")
        if let open = url.firstIndex(of: "["), let close = url[open...].firstIndex(of: "]") {
            let words = url[open..<close].dropFirst().split(separator: ":", omittingEmptySubsequences: false)
            let ends = words.first?.split(separator: "-", omittingEmptySubsequences: false) ?? []
            guard words.count <= 2, ends.count == 2, let first = ends.first, let last = ends.last,
                isEnd(first), isEnd(last)
            else { return nil }
            let step = words.count == 2 ? "..\(words[1])" : ""
            return "\(url[..<open]){\(first)..\(last)\(step)}\(url[close...].dropFirst())"
        }
        guard let open = url.firstIndex(of: "{"), let close = url[open...].firstIndex(of: "}"),
            url[open..<close].contains(",")
        else { return nil }
        return "\(url)"
    }

    private static func isEnd(_ text: Substring) -> Bool {
        !text.isEmpty && (text.allSatisfy { $0.isNumber } || text.count == 1 && text.allSatisfy(\.isLetter))
    }
}
