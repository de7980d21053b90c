import SegmentedDL
import SystemPackage

/// Files of cookies and of logins, which libcurl reads as bytes: behind a mark of their encoding it silently
/// ignores the first line, and in UTF-16 all of them.
enum PlainFile {
    private static let httpOnly = Array("#HttpOnly_".utf8)

    /// Returns the reason why libcurl would ignore lines of a file, as a clause; `nil` if there is none, or
    /// if reading the file would consume the bytes that libcurl needs.
    ///
    /// - Parameter hasComments: True if the line behind the mark may be a comment, which may be ignored.
    static func fault(of path: String, hasComments: Bool) -> String? {
        guard (try? SystemCalls.statusFollowingLinks(FilePath(path)))?.kind == .file else { return nil }
        return fault(in: TextFile.beginning(of: FilePath(path)), hasComments: hasComments)
    }

    static func fault(in bytes: [UInt8], hasComments: Bool) -> String? {
        if ByteOrderMark.isUTF16(bytes) { return "is UTF-16; save it as UTF-8" }
        guard bytes.starts(with: ByteOrderMark.utf8) else { return nil }
        let text = bytes.dropFirst(ByteOrderMark.utf8.count)
        if hasComments, text.first.map({ "#\r\n".utf8.contains($0) }) ?? true, !text.starts(with: httpOnly) {
            return nil
        }
        return
            "begins with a byte order mark, behind which its first line is not read; save it without the mark"
    }
}
