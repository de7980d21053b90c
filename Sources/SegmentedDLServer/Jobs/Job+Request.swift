package import SegmentedDL
package import SegmentedDLQueue

/// A job's options, as the library takes them.
extension Job {
    package func value(_ name: String) -> String? { options[name]?.first }

    /// Puts the download's own URL in the place of an asterisk (aria2's manual, --referer).
    mutating func fillReferer(from source: Source?) {
        guard value("referer") == "*", let source else { return }
        options["referer"] = [source.url]
    }

    private func flag(_ name: String) -> Bool? { value(name).map { $0 == "true" } }

    /// The number of an option; 0 counts as not given.
    private func size(_ name: String) -> Int64? { value(name).flatMap(RPCOption.bytes) }

    /// Header fields and credentials for the server.
    package var authorization: Authorization {
        // Extensions pass on all fields of the browser's request; those of the transfer are the daemon's.
        var headers = (options["header"] ?? []).compactMap { HTTPHeader(parsing: $0) }
            .filter { !DownloadRequest.ownHeaders.contains($0.name.lowercased()) }
        if let referer = value("referer"), !referer.isEmpty { headers.append(HTTPHeader("Referer", referer)) }
        if let agent = value("user-agent"), !agent.isEmpty { headers.append(HTTPHeader("User-Agent", agent)) }
        if flag("http-no-cache") == true { headers += Aria2Rules.noCache }
        let user = value("http-user") ?? ""
        let credentials = user.isEmpty ? nil : Credentials(user: user, password: value("http-passwd") ?? "")
        return Authorization(headers: headers, credentials: credentials)
    }

    private func number(_ name: String) -> Int? { value(name).flatMap { Int($0) } }

    /// The connections for one file; `nil` for the daemon's own choice.
    ///
    /// - Parameter sources: All sources of the file.
    func segments(of sources: [Source]) -> SegmentCount? {
        let (split, perServer) = (number("split"), number("max-connection-per-server"))
        guard split != nil || perServer != nil else { return nil }
        let hosts = Set(sources.map(\.origin)).count
        return .fixed(Aria2Rules.connections(split: split, perServer: perServer, hosts: hosts))
    }

    /// The settings that the queue does not keep.
    ///
    /// - Parameter retry: The daemon's own retries.
    package func supplement(_ retry: RetryPolicy) -> DownloadSupplement {
        var supplement = DownloadSupplement()
        supplement.pieces = pieces
        supplement.length = length
        supplement.startsOver = flag("remove-control-file") == true && flag("allow-overwrite") == true
        let (tries, wait) = (number("max-tries"), number("retry-wait"))
        if tries != nil || wait ?? 0 > 0 {
            supplement.retry = Aria2Rules.retry(retry, tries: tries, wait: wait)
        }
        return supplement
    }

    /// Bytes per second; `nil` for no limit.
    package var rate: Int64? { size("max-download-limit").flatMap { $0 > 0 ? $0 : nil } }

    /// The options that ``ifExists`` follows from.
    static let namesOfExisting: Set<String> = [
        "conditional-get", "allow-overwrite", "auto-file-renaming",
    ]

    package var ifExists: ExistingFilePolicy {
        Aria2Rules.ifExists(
            isConditional: flag("conditional-get") ?? false, mayOverwrite: flag("allow-overwrite") ?? false,
            mayRename: flag("auto-file-renaming") ?? true)
    }

    /// True if a file that another program left is continued.
    var takesOver: Bool { flag("continue") ?? false }

    /// True if the file gets the date of the server's file.
    var keepsRemoteDate: Bool { flag("remote-time") ?? true }

    /// - Throws: `DownloadError` with code `invalidSetting`.
    package func checksums() throws(DownloadError) -> [Checksum] {
        guard let text = value("checksum"), !text.isEmpty else { return [] }
        return [try Checksum(parsing: text)]
    }

    /// Returns the request for a download. Of several sources, those of other protocols are passed over, as
    /// aria2 does.
    ///
    /// - Throws: `DownloadError` with code `invalidURL` or `invalidSetting`.
    package func request(
        _ urls: [String], to destination: DownloadRequest.Destination
    ) throws(DownloadError) -> DownloadRequest {
        let sources = urls.compactMap { try? Source($0) }
        guard let first = sources.first else {
            // The reason is that of the first one.
            if let url = urls.first { _ = try Source(url) }
            throw DownloadError(.invalidURL, "URI is not provided.")
        }
        var request = DownloadRequest(first, to: destination)
        request.mirrors = Array(sources.dropFirst())
        request.makesDirectory = true
        request.checksums = try checksums()
        request.segments = segments(of: sources)
        request.rate = rate
        request.naming = .finalURL
        request.ifExists = ifExists
        request.takesOver = takesOver
        request.keepsRemoteDate = keepsRemoteDate
        let authorization = authorization
        request.headers = authorization.headers
        request.credentials = authorization.credentials
        return request
    }
}
