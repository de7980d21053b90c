/// The path of a file below a root, such as `dir/name`, that cannot escape that root.
///
/// Names come from servers and lists, so they are untrusted until checked. They are compared byte by byte:
/// two names that differ only in the encoding of an accent are two files.
public struct RelativePath: Sendable, CustomStringConvertible {
    /// The maximum length of a path, in bytes of UTF-8.
    public static let maximumLength = 2048

    /// The maximum number of components of a path.
    public static let maximumDepth = 128

    /// The components, separated by slashes; never empty.
    public let text: String

    /// Checks a path.
    ///
    /// It rejects absolute paths, empty components, `.` and `..`, backslashes, control characters, characters
    /// that change the text direction, components longer than 255 bytes, and names with the suffix of this
    /// library's manifests.
    ///
    /// - Throws: `DownloadError` with code `badPath`, whose message describes the problem.
    public init(_ text: some StringProtocol) throws(DownloadError) {
        guard !Self.isPlain(text) else {
            self.text = String(text)
            return
        }
        let bytes = Array(text.utf8)
        // Compare bytes: a slash and a following combining mark form a different `Character`, but the slash
        // is still a separator.
        let components = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        try Self.require(!bytes.isEmpty, text, "is empty")
        try Self.require(bytes.first != UInt8(ascii: "/"), text, "is absolute")
        try Self.require(bytes.count <= Self.maximumLength, text, "has more than \(Self.maximumLength) bytes")
        try Self.require(
            components.count <= Self.maximumDepth, text, "has more than \(Self.maximumDepth) components")
        for component in components {
            if let fault = Self.fault(component) { throw Self.error(text, fault) }
        }
        self.text = String(text)
    }

    /// Checks the path of an existing file, whose last component may be that of an unfinished one.
    ///
    /// - Throws: `DownloadError` with code `badPath`.
    package init(onDisk text: String) throws(DownloadError) {
        let isOfState = SafeFileName.isOfState(text)
        _ = try RelativePath(isOfState ? text.dropLast(SafeFileName.ourEnding(of: text).count) : text[...])
        self.text = text
    }

    /// True for the name of a manifest or another temporary file of a download.
    package var isOfState: Bool { SafeFileName.isOfState(text) }

    /// Returns the text without the suffixes of unfinished files.
    package var withoutOurEnding: String { String(text.dropLast(SafeFileName.ourEnding(of: text).count)) }

    private init(checked text: String) {
        self.text = text
    }

    /// True for an obviously valid path, as nearly all are: only unreserved characters, and no dot at the
    /// start of a component or before the first letter of a suffix of unfinished files.
    private static func isPlain(_ text: some StringProtocol) -> Bool {
        var (count, length, depth, last) = (0, 0, 1, UInt8(ascii: "/"))
        for byte in text.utf8 {
            count += 1
            length += 1
            switch byte {
            case UInt8(ascii: "p"), UInt8(ascii: "P"):
                if last == UInt8(ascii: ".") { return false }
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                break
            case UInt8(ascii: "."):
                if last == UInt8(ascii: "/") { return false }
            case UInt8(ascii: "/"):
                if last == UInt8(ascii: "/") { return false }
                (length, depth) = (0, depth + 1)
            default:
                return false
            }
            guard length <= SafeFileName.longest else { return false }
            last = byte
        }
        return last != UInt8(ascii: "/") && count <= maximumLength && depth <= maximumDepth
    }

    /// Returns the problem of one component, as a clause; `nil` if it is a valid file name.
    private static func fault(_ component: ArraySlice<UInt8>) -> String? {
        if component.isEmpty { return "has an empty component" }
        if component.elementsEqual(".".utf8) || component.elementsEqual("..".utf8) {
            return "has the component '\(String(decoding: component, as: UTF8.self))'"
        }
        if component.count > SafeFileName.longest {
            return "has a component of more than \(SafeFileName.longest) bytes"
        }
        let name = String(decoding: component, as: UTF8.self)
        for scalar in name.unicodeScalars {
            if scalar == "\\" { return "has a backslash" }
            // Most names are ASCII: looking up Unicode properties would dominate the time to read a list.
            if (" "..."~").contains(scalar) { continue }
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: return "has a control character"
            default: if scalar.properties.isBidiControl { return "has a character that disguises its suffix" }
            }
        }
        if SafeFileName.isOfState(name) { return "has the suffix of a state file" }
        return nil
    }

    private static func require(
        _ condition: Bool, _ text: some StringProtocol, _ fault: String
    ) throws(DownloadError) {
        guard condition else { throw error(text, fault) }
    }

    private static func error(_ text: some StringProtocol, _ fault: String) -> DownloadError {
        DownloadError(
            .badPath, "The path '\(Printable.text(text))' \(fault); it cannot be used.",
            cause: UnusablePath(text: String(text)))
    }

    /// The components, at least one.
    public var components: [Substring] {
        text.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
    }

    /// The last component.
    public var name: Substring {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return text[...] }
        return text[text.utf8.index(after: slash)...]
    }

    /// The directory of the file; `nil` for the root.
    public var parent: RelativePath? {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return RelativePath(checked: String(text[..<slash]))
    }

    /// The path.
    public var description: String { text }
}

/// The text of a rejected path, as the cause of the error. Used only for comparison with patterns.
package struct UnusablePath: Error {
    package let text: String

    package init(text: String) {
        self.text = text
    }
}

extension RelativePath: Hashable, Comparable {
    /// Returns true if both have the same bytes.
    public static func == (one: RelativePath, other: RelativePath) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8)
    }

    /// Feeds the bytes to a hasher.
    public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0 as UInt8)
    }

    /// Returns true if the bytes of `lhs` sort first.
    public static func < (one: RelativePath, other: RelativePath) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }
}

/// Encoded as its text.
extension RelativePath: Codable {
    /// - Throws: `DecodingError` if the value is not a string, `DownloadError` with code `badPath` if the
    ///   path is invalid.
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
