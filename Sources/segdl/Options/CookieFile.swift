import SegmentedDL
import SystemPackage

/// A cookie file in a format that libcurl reads: lines in Netscape's format, or `Set-Cookie:` headers.
///
/// libcurl silently ignores all other lines.
enum CookieFile {
    private static let longest = 16 * 1024 * 1024

    /// - Returns: False if the file has lines but none of them is a cookie.
    static func isUsable(_ path: String) -> Bool {
        // Reading a pipe would consume the bytes that libcurl needs.
        guard (try? SystemCalls.statusFollowingLinks(FilePath(path)))?.kind == .file,
            let text = try? TextFile.read(path, atMost: longest)
        else { return true }
        return isUsable(text: text)
    }

    static func isUsable(text: String) -> Bool {
        let lines = text.split(whereSeparator: \.isNewline).filter { line in
            line.hasPrefix("#HttpOnly_") || !line.hasPrefix("#") && !line.allSatisfy(\.isWhitespace)
        }
        return lines.isEmpty || lines.contains(where: isCookie)
    }

    private static func isCookie(_ line: Substring) -> Bool {
        // The last of the seven fields may be missing.
        line.lowercased().hasPrefix("set-cookie:") || line.count { $0 == "\t" } >= 5
    }
}
