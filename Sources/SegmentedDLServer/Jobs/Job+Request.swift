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
        let user = value("http-user") ?? ""
        let credentials = user.isEmpty ? nil : Credentials(user: user, password: value("http-passwd") ?? "")
        return Authorization(headers: headers, credentials: credentials)
    }

    /// The connections for one file; `nil` for the daemon's own choice.
    package var segments: SegmentCount? {
        let split = value("split").flatMap { Int($0) }
        let perServer = value("max-connection-per-server").flatMap { Int($0) }
        guard let most = [split, perServer].compactMap({ $0 }).min(), split != nil || perServer == 1 else {
            return nil
        }
        return .fixed(most)
    }

    /// Bytes per second; `nil` for no limit.
    package var rate: Int64? { size("max-download-limit").flatMap { $0 > 0 ? $0 : nil } }

    /// The options that ``ifExists`` follows from.
    static let namesOfExisting: Set<String> = [
        "conditional-get", "allow-overwrite", "continue", "auto-file-renaming",
    ]

    /// aria2's rules for a name that is taken: another name, unless the file may be replaced or continued.
    package var ifExists: ExistingFilePolicy {
        if flag("conditional-get") == true { return .update }
        if flag("allow-overwrite") == true { return .replace }
        if flag("continue") == true { return .fail }
        return flag("auto-file-renaming") == false ? .fail : .rename
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
        request.segments = segments
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
