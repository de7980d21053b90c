internal import SegmentedDL

/// A download that a caller of the API adds, in the options of aria2 that the daemon keeps.
struct NewDownload: Equatable {
    var urls: [String]
    var options: [String: [String]] = [:]
    var checksumOrigin: ChecksumOrigin?
    /// The media types of which the file must be one; with none, any counts.
    var expectedTypes: [String] = []

    /// - Throws: `InterfaceError` for members of another type or unknown names.
    init(_ value: JSONValue) throws(InterfaceError) {
        guard let members = value.members, let url = members["url"]?.text else {
            throw InterfaceError.bad("A download wants 'url', a text.")
        }
        urls = [url]
        for (name, value) in members where value != .null && name != "url" { try take(name, value) }
    }

    private mutating func take(_ name: String, _ value: JSONValue) throws(InterfaceError) {
        switch name {
        case "mirrors": urls += try Self.texts(name, value)
        case "directory": options["dir"] = [try Self.text(name, value)]
        case "name": options["out"] = [try Self.text(name, value)]
        case "checksum": options["checksum"] = [Self.checksum(try Self.text(name, value))]
        case "checksumFrom": checksumOrigin = try Self.origin(try Self.text(name, value))
        case "headers": options["header"] = try Self.texts(name, value)
        case "expectedTypes": expectedTypes = try Self.texts(name, value)
        case "segments": options["split"] = [try Self.number(name, value, from: 1)]
        case "bytesPerSecond": options["max-download-limit"] = [try Self.number(name, value)]
        case "paused":
            guard case .bool(let isPaused) = value else {
                throw InterfaceError.bad("'paused' wants true or false.")
            }
            options["pause"] = [isPaused ? "true" : "false"]
        case "ifExists": try take(policy: try Self.text(name, value))
        default: throw InterfaceError.bad("'\(Printable.text(name))' is not a member of a download.")
        }
    }

    private mutating func take(policy: String) throws(InterfaceError) {
        switch policy {
        case "rename": break
        case "fail": options["auto-file-renaming"] = ["false"]
        case "replace": options["allow-overwrite"] = ["true"]
        case "update": options["conditional-get"] = ["true"]
        default: throw InterfaceError.bad("'ifExists' wants fail, rename, replace or update.")
        }
    }

    /// A SHA-256 alone gets its name, which aria2's option wants; other texts stay, and are refused later if
    /// they make no sense.
    private static func checksum(_ text: String) -> String {
        (try? Checksum(given: text))?.description ?? text
    }

    /// - Returns: `nil` for a digest that the caller names itself.
    private static func origin(_ text: String) throws(InterfaceError) -> ChecksumOrigin? {
        if text == "request" { return nil }
        guard let origin = ChecksumOrigin(rawValue: text) else {
            throw InterfaceError.bad("'checksumFrom' wants request, list or metalink.")
        }
        return origin
    }

    static func text(_ name: String, _ value: JSONValue) throws(InterfaceError) -> String {
        guard let text = value.text, !text.unicodeScalars.contains(where: { $0.value < 0x20 }) else {
            throw InterfaceError.bad("'\(name)' wants a text without control characters.")
        }
        return text
    }

    static func texts(_ name: String, _ value: JSONValue) throws(InterfaceError) -> [String] {
        guard let elements = value.elements else {
            throw InterfaceError.bad("'\(name)' wants a list of texts.")
        }
        var texts: [String] = []
        for element in elements { texts.append(try text(name, element)) }
        return texts
    }

    private static func number(
        _ name: String, _ value: JSONValue, from least: Int64 = 0
    ) throws(InterfaceError) -> String {
        guard let number = value.whole, number >= least, number <= Int32.max else {
            throw InterfaceError.bad("'\(name)' wants a whole number of \(least) or more.")
        }
        return String(number)
    }
}
