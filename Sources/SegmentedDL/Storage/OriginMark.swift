internal import SystemPackage

/// The remote origin of a finished file, stored in one of its extended attributes.
///
/// It shows a later run of the same download that nothing has to be done. It contains no URL, because a URL
/// may contain secrets.
///
/// It is valid only while the file keeps the length and date that it had when it was completed. On file
/// systems without such attributes, the file's date is used instead.
struct OriginMark: Equatable, Sendable {
    /// A version of a remote file.
    struct Origin: Equatable, Sendable {
        /// The digest of the URL that supplied the validators.
        var urlDigest: String
        var etag: String?
        /// The Last-Modified field, as it was sent.
        var lastModified: String?
        /// The digest of the URL without the signature in its query; `nil` if it has none.
        var unsignedDigest: String?
        /// True if an action is pending (`PendingAction`).
        var hasPendingAction = false
    }

    var origin: Origin
    /// The finished file's length in bytes.
    var size: Int64
    /// The finished file's date, in nanoseconds since 1970.
    var modified: Int64

    private static let name = "user.segdl.origin"
    private static let version = "1"
    /// The maximum length: a file system may limit all attributes of a file to 4 KiB.
    private static let longest = 2048

    init(_ origin: Origin, size: Int64, modified: Int64) {
        self.origin = origin
        self.size = size
        self.modified = modified
    }

    /// Parses an attribute; `nil` if the format is unknown.
    init?(parsing text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 6 || lines.count == 7 && !lines[6].isEmpty, lines[0] == Self.version,
            let size = Int64(lines[2]),
            let modified = Int64(lines[3])
        else { return nil }
        func value(_ line: String) -> String? { line.isEmpty ? nil : line }
        let origin = Origin(
            urlDigest: lines[1], etag: value(lines[4]), lastModified: value(lines[5]),
            unsignedDigest: lines.count > 6 ? value(lines[6]) : nil)
        self.init(origin, size: size, modified: modified)
    }

    /// The attribute's value.
    var text: String {
        let lines = [
            Self.version, origin.urlDigest, "\(size)", "\(modified)", origin.etag ?? "",
            origin.lastModified ?? "",
        ]
        return (lines + [origin.unsignedDigest].compactMap(\.self)).joined(separator: "\n")
    }

    /// Returns the mark of a file, if it is still valid. Blocks.
    static func ofFile(at path: FilePath, _ status: SystemCalls.FileStatus) -> OriginMark? {
        let text = SystemCalls.attribute(name, of: path, atMost: longest)
        guard let mark = text.flatMap(OriginMark.init), mark.size == status.size,
            mark.modified == status.modified
        else { return nil }
        return mark
    }

    /// Marks a finished file, if the file system supports it. Blocks.
    static func mark(_ file: PartFile, as origin: Origin, _ status: SystemCalls.FileStatus) {
        let text = OriginMark(origin, size: status.size, modified: status.modified).text
        if text.utf8.count <= longest { file.setAttribute(name, text) }
        if origin.hasPendingAction { file.setAttribute(PendingAction.name, "1") }
    }
}
