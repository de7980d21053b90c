package import SegmentedDL

/// The translation of aria2's options for a file; there is no other.
extension Aria2Values {
    /// Returns the request for a file. If there are several sources, those with other protocols are ignored,
    /// as in aria2. The first one may be the location of a file in a hub or store, which the caller resolves.
    ///
    /// - Throws: `DownloadError` with code `invalidURL` or `invalidSetting`.
    package func request(
        _ uris: [String], to destination: DownloadRequest.Destination
    ) throws(DownloadError) -> DownloadRequest {
        let named = uris.compactMap { try? Source(named: $0) }
        let sources = named.prefix(1) + named.dropFirst().filter { $0.location == nil }
        guard let first = sources.first else {
            // Report the error of the first one.
            if let uri = uris.first { _ = try Source(named: uri) }
            throw DownloadError(.invalidURL, "URI is not provided.")
        }
        var request = DownloadRequest(first, to: destination)
        request.mirrors = Array(sources.dropFirst())
        request.makesDirectory = true
        // A store's URL at the end of a redirect may have no name.
        request.naming = first.location == nil ? .finalURL : .server
        request.segments = segments(of: Array(sources))
        request.rate = limit("max-download-limit")
        request.headers = headers(for: first)
        request.credentials = credentials
        request.checksums = try checksums()
        request.ifExists = ifExists
        request.takesOver = takesOver
        request.startsOver = startsOver
        request.keepsRemoteDate = keepsRemoteDate
        request.order = order
        request.tries = tries
        return request
    }

    /// Applies the given options to a request. Settings without an option keep their values, such as those of
    /// a command line.
    package func change(_ request: inout DownloadRequest) {
        func isGiven(_ names: String...) -> Bool { names.contains { given[$0] != nil } }
        if isGiven("split", "max-connection-per-server") { request.segments = segments(of: request.sources) }
        if isGiven("max-download-limit") { request.rate = limit("max-download-limit") ?? request.rate }
        if isGiven("stream-piece-selector") { request.order = order }
        if isGiven("remote-time") { request.keepsRemoteDate = keepsRemoteDate }
        if isGiven("continue") { request.takesOver = takesOver }
        if startsOver { request.startsOver = true }
        if let tries { request.tries = tries }
        let policies: [(String, ExistingFilePolicy)] = [
            ("conditional-get", .update), ("allow-overwrite", .replace), ("auto-file-renaming", .rename),
        ]
        if let (_, policy) = policies.first(where: { given[$0.0]?.last == "true" }) {
            request.ifExists = policy
        } else if policies.contains(where: { $0.1 == request.ifExists && given[$0.0] != nil }) {
            request.ifExists = .fail
        }
    }

    /// The number of connections (`--split`, `--max-connection-per-server`); `nil` if neither is given nor
    /// has a default.
    package func segments(of sources: [Source]) -> SegmentCount? {
        let (split, perServer) = (text("split"), text("max-connection-per-server"))
        guard split != nil || perServer != nil else { return nil }
        return .fixed(
            Aria2Rules.connections(
                split: split.flatMap { Int($0) }, perServer: perServer.flatMap { Int($0) },
                hosts: Set(sources.map(\.origin)).count))
    }

    /// The header fields for the server.
    ///
    /// - Parameter source: The download's own URL, which replaces an asterisk in the referer.
    package func headers(for source: Source?) -> [HTTPHeader] {
        // Drop fields that each download sets itself, such as Accept-Encoding, because callers send them.
        var headers = list("header").compactMap { HTTPHeader(parsing: $0) }.filter {
            !DownloadRequest.ownHeaders.contains($0.name.lowercased())
        }
        if let referer = nonEmpty("referer") {
            headers.append(HTTPHeader("Referer", referer == "*" ? source?.url ?? referer : referer))
        }
        if let agent = nonEmpty("user-agent") { headers.append(HTTPHeader("User-Agent", agent)) }
        if flag("http-no-cache") { headers += Aria2Values.noCache }
        return headers
    }

    package var credentials: Credentials? {
        nonEmpty("http-user").map { Credentials(user: $0, password: text("http-passwd") ?? "") }
    }

    /// - Throws: `DownloadError` with code `invalidSetting`.
    package func checksums() throws(DownloadError) -> [Checksum] {
        guard let text = nonEmpty("checksum") else { return [] }
        return [try Checksum(parsing: text)]
    }

    /// The options that determine ``ifExists``.
    package static let namesOfExisting: Set<String> = [
        "conditional-get", "allow-overwrite", "auto-file-renaming",
    ]

    /// aria2's rules for an existing file.
    package var ifExists: ExistingFilePolicy {
        Aria2Rules.ifExists(
            isConditional: flag("conditional-get"), mayOverwrite: flag("allow-overwrite"),
            mayRename: flag("auto-file-renaming"))
    }

    package var takesOver: Bool { flag("continue") }

    package var startsOver: Bool { flag("remove-control-file") && flag("allow-overwrite") }

    package var keepsRemoteDate: Bool { flag("remote-time") }

    /// The number of tries and the delay (`--max-tries`, `--retry-wait`); `nil` if neither is given.
    package var tries: FileTries? {
        let count = given["max-tries"]?.last.flatMap { Int($0) }
        let wait = given["retry-wait"]?.last.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        return count == nil && wait == nil ? nil : FileTries(count: count, wait: wait)
    }

    package var order: SegmentOrder { text("stream-piece-selector") == "inorder" ? .inOrder : .fastest }
}
