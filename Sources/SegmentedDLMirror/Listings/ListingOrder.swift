/// The queries with which a listing's own URL returns the same listing in another order or form.
///
/// Each field of the query must be one of these:
///
/// | field | values | server |
/// | --- | --- | --- |
/// | `C` | `N`, `M`, `S`, `D` | Apache, nginx's fancyindex, Jetty, Tomcat |
/// | `O` | `A`, `D` | the same |
/// | `F` | `0`, `1`, `2` | Apache |
/// | `V` | `0`, `1` | Apache |
/// | `sort`, `order` | a word | Caddy, rclone, miniserve, dufs |
/// | `layout` | a word | Caddy |
/// | `raw` | `true` | miniserve |
/// | `download` | `tar`, `tar_gz`, `zip` | miniserve |
///
/// With any other field, such as `page`, `start`, `marker` or a pattern, the URL may return other files.
enum ListingOrder {
    /// Returns true if a query returns the same listing.
    ///
    /// - Parameters:
    ///   - query: The text after the question mark of the link.
    ///   - own: The query of the listing itself, whose fields are accepted.
    static func isSameListing(_ query: Substring, of own: Substring = "") -> Bool {
        let known = Set(fields(own))
        return fields(query).allSatisfy { known.contains($0) || isOrder($0) }
    }

    private static func fields(_ query: Substring) -> [Substring] {
        query.split { $0 == "&" || $0 == ";" }
    }

    private static func isOrder(_ field: Substring) -> Bool {
        let parts = field.lowercased().split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count > 1 ? parts[1] : ""
        return switch parts.first ?? "" {
        case "c": ["n", "m", "s", "d"].contains(value)
        case "o": ["a", "d"].contains(value)
        case "f": ["0", "1", "2"].contains(value)
        case "v": ["0", "1"].contains(value)
        case "sort", "order", "layout": isWord(value)
        case "raw": value == "true"
        case "download": ["tar", "tar_gz", "zip"].contains(value)
        default: false
        }
    }

    /// True for letters, and the signs with which some servers mark a reversed order or join words. A number
    /// could be a position.
    private static func isWord(_ value: Substring) -> Bool {
        value.utf8.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || "-_!".utf8.contains($0)
        }
    }
}
