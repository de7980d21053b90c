internal import SegmentedDL
internal import SegmentedDLOptions
internal import SystemPackage

/// The members of an API caller's new download.
struct NewDownload: Equatable {
    /// The sources of the file, in order of preference.
    private(set) var urls: [String]
    private(set) var directory: String?
    private(set) var name: String?
    private(set) var checksum: String?
    private(set) var checksumOrigin: ChecksumOrigin?
    private(set) var headers: [String] = []
    /// The accepted media types of the file; all if empty.
    private(set) var expectedTypes: [String] = []
    private(set) var segments: Int?
    /// Bytes per second; 0 for no limit.
    private(set) var rate: Int64?
    private(set) var ifExists: ExistingFilePolicy?
    private(set) var startsPaused = false

    /// - Throws: `InterfaceError` for members of another type or unknown names.
    init(_ value: JSONValue) throws(InterfaceError) {
        guard let members = value.members, let url = members["url"]?.text else {
            throw InterfaceError.bad("A download needs 'url', a string.")
        }
        urls = [url]
        for (name, value) in members where value != .null && name != "url" { try take(name, value) }
    }

    private mutating func take(_ name: String, _ value: JSONValue) throws(InterfaceError) {
        switch name {
        case "mirrors": urls += try Self.texts(name, value)
        case "directory": directory = try Self.text(name, value)
        case "name": self.name = try Self.text(name, value)
        case "checksum": checksum = try Self.text(name, value)
        case "checksumFrom": checksumOrigin = try Self.origin(try Self.text(name, value))
        case "headers": headers = try Self.texts(name, value)
        case "expectedTypes": expectedTypes = try Self.texts(name, value)
        case "segments": segments = Int(try Self.number(name, value, from: 1))
        case "bytesPerSecond": rate = try Self.number(name, value)
        case "paused":
            guard case .bool(let isPaused) = value else {
                throw InterfaceError.bad("'paused' must be true or false.")
            }
            startsPaused = isPaused
        case "ifExists":
            let policy = ExistingFilePolicy(rawValue: try Self.text(name, value))
            guard let policy, policy != .skip else {
                throw InterfaceError.bad("'ifExists' must be fail, rename, replace or update.")
            }
            ifExists = policy
        default: throw InterfaceError.bad("'\(Printable.text(name))' is not a member of a download.")
        }
    }

    /// True if it has settings that another download of the same file may lack.
    var hasOwnSettings: Bool {
        !headers.isEmpty || !expectedTypes.isEmpty || segments != nil || rate != nil
            || ifExists ?? .rename != .rename
    }

    /// Returns its request.
    ///
    /// - Parameter usual: Returns the request for a file of which only the sources are given.
    /// - Throws: `DownloadError` with code `invalidURL` or `invalidSetting`.
    func request(
        _ usual: ([String]) throws(DownloadError) -> DownloadRequest
    ) throws(DownloadError) -> DownloadRequest {
        var request = try usual(urls)
        if let directory { request.destination = .directory(FilePath(directory)) }
        if let name, !name.isEmpty, case .directory(let place) = request.destination {
            // An absolute name is refused together with its directory.
            request.destination = .file(place.pushing(FilePath(name)))
        }
        if let checksum, !checksum.isEmpty { request.checksums = [try Checksum(given: checksum)] }
        if !headers.isEmpty {
            let fields = headers.compactMap { HTTPHeader(parsing: $0) }
            request.headers = fields.filter { !DownloadRequest.ownHeaders.contains($0.name.lowercased()) }
        }
        request.expectedTypes = expectedTypes
        request.segments = segments.map { .fixed(min($0, Aria2Rules.mostConnections)) } ?? request.segments
        if let rate { request.rate = rate > 0 ? rate : nil }
        request.ifExists = ifExists ?? request.ifExists
        return request
    }

    /// - Returns: `nil` for a digest that the caller supplies directly.
    private static func origin(_ text: String) throws(InterfaceError) -> ChecksumOrigin? {
        if text == "request" { return nil }
        guard let origin = ChecksumOrigin(rawValue: text) else {
            throw InterfaceError.bad("'checksumFrom' must be request, list or metalink.")
        }
        return origin
    }

    static func text(_ name: String, _ value: JSONValue) throws(InterfaceError) -> String {
        guard let text = value.text, !text.unicodeScalars.contains(where: { $0.value < 0x20 }) else {
            throw InterfaceError.bad("'\(name)' must be a string without control characters.")
        }
        return text
    }

    static func texts(_ name: String, _ value: JSONValue) throws(InterfaceError) -> [String] {
        guard let elements = value.elements else {
            throw InterfaceError.bad("'\(name)' must be a list of strings.")
        }
        var texts: [String] = []
        for element in elements { texts.append(try text(name, element)) }
        return texts
    }

    private static func number(
        _ name: String, _ value: JSONValue, from least: Int64 = 0
    ) throws(InterfaceError) -> Int64 {
        guard let number = value.whole, number >= least, number <= Int32.max else {
            throw InterfaceError.bad("'\(name)' must be a whole number of \(least) or more.")
        }
        return number
    }
}
