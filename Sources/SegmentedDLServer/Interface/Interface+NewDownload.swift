internal import SegmentedDL
internal import SegmentedDLOptions
internal import SegmentedDLQueue
internal import SystemPackage

extension Interface {
    /// Reads a download that an API caller adds.
    ///
    /// - Parameter usual: Returns the request for a file if only the sources are given.
    /// - Returns: The download, or an error with code `invalidURL` or `invalidSetting`.
    /// - Throws: `InterfaceError` for members of the wrong type or unknown names.
    static func newDownload(
        _ value: JSONValue, _ usual: ([String]) throws(DownloadError) -> DownloadRequest
    ) throws(InterfaceError) -> Result<QueueEntry, DownloadError> {
        guard let members = value.members?.filter({ $0.value != .null }), let url = members["url"]?.text
        else {
            throw InterfaceError.bad("A download needs 'url', a string.")
        }
        var urls = [url]
        var (directory, name, checksum) = (String?.none, "", "")
        var startsPaused = false
        var settings: [(inout DownloadRequest) -> Void] = []
        for (member, value) in members where member != "url" {
            switch member {
            case "mirrors": urls += try value.texts(of: member)
            case "directory": directory = try value.text(of: member)
            case "name": name = try value.text(of: member)
            case "checksum": checksum = try value.text(of: member)
            case "checksumFrom":
                let origin = try origin(try value.text(of: member))
                settings.append { $0.checksumOrigin = origin }
            case "headers":
                let lines = try value.texts(of: member)
                if lines.isEmpty { break }
                settings.append { request in
                    request.headers = lines.compactMap { HTTPHeader(parsing: $0) }.filter {
                        !DownloadRequest.ownHeaders.contains($0.name.lowercased())
                    }
                }
            case "expectedTypes":
                let types = try value.texts(of: member)
                settings.append { $0.expectedTypes = types }
            case "segments":
                let count = min(Int(try value.number(of: member, from: 1)), Aria2Rules.mostConnections)
                settings.append { $0.segments = .fixed(count) }
            case "bytesPerSecond":
                let rate = try value.number(of: member)
                settings.append { $0.rate = rate > 0 ? rate : nil }
            case "paused": startsPaused = try value.flag(of: member)
            case "ifExists":
                let policy = ExistingFilePolicy(rawValue: try value.text(of: member))
                guard let policy, policy != .skip else {
                    throw InterfaceError.bad("'ifExists' must be fail, rename, replace or update.")
                }
                settings.append { $0.ifExists = policy }
            default: throw InterfaceError.bad("'\(Printable.text(member))' is not a member of a download.")
            }
        }
        do throws(DownloadError) {
            var request = try usual(urls)
            if let directory { request.destination = .directory(FilePath(directory)) }
            if !name.isEmpty, case .directory(let place) = request.destination {
                // An absolute name is refused later, together with its directory.
                request.destination = .file(place.pushing(FilePath(name)))
            }
            if !checksum.isEmpty { request.checksums = [try Checksum(given: checksum)] }
            for setting in settings { setting(&request) }
            return .success(QueueEntry(request, startsPaused: startsPaused))
        } catch {
            return .failure(error)
        }
    }

    /// - Returns: `nil` for a digest that the caller supplied directly.
    private static func origin(_ text: String) throws(InterfaceError) -> ChecksumOrigin? {
        if text == "request" { return nil }
        guard let origin = ChecksumOrigin(rawValue: text) else {
            throw InterfaceError.bad("'checksumFrom' must be request, list or metalink.")
        }
        return origin
    }
}
