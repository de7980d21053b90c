internal import SegmentedDL

extension HubLocation {
    /// Returns the URL of the revision in the API.
    func revisionURL(on hub: Source) throws(DownloadError) -> Source {
        try Source("\(api(hub))/revision/\(PercentEncoding.query(wantedRevision))")
    }

    /// Returns the URL of the first page of a commit's tree.
    func treeURL(of commit: String, on hub: Source) throws(DownloadError) -> Source {
        let place = path.isEmpty ? "" : "/\(PercentEncoding.path(path))"
        return try Source("\(api(hub))/tree/\(PercentEncoding.query(commit))\(place)?recursive=true")
    }

    /// Returns the commit in the URL of a page of a tree; `nil` for any other URL.
    func commit(ofPage url: String, on hub: Source) -> String? {
        let prefix = "\(api(hub))/tree/"
        guard url.hasPrefix(prefix) else { return nil }
        return String(url.dropFirst(prefix.count).prefix { $0 != "/" && $0 != "?" })
    }

    /// Returns the commit in the URL of a file; `nil` for any other URL.
    func commit(ofFile url: String) -> String? {
        let part = "/\(repository)/resolve/"
        guard let start = url.firstRange(of: part)?.upperBound else { return nil }
        return String(url[start...].prefix { $0 != "/" })
    }

    /// Returns the text of a hub's URL, with a trailing slash.
    static func base(_ hub: Source) -> String { hub.url.hasSuffix("/") ? hub.url : hub.url + "/" }

    private func api(_ hub: Source) -> String { "\(Self.base(hub))api/\(kind.rawValue)/\(repository)" }
}
