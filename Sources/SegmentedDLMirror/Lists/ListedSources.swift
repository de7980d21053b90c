internal import SegmentedDL

/// Returns the URL of a file in a hub.
typealias HubFileURL = @Sendable (HubLocation) throws(DownloadError) -> Source

/// The sources of one line of a list.
struct ListedSources {
    private(set) var sources: [Source] = []
    /// The location of the first source, if it is that of a hub's file.
    private(set) var location: HubLocation?

    /// - Parameters:
    ///   - urls: URLs, and locations of files in a hub.
    ///   - hub: The URLs of the locations; `nil` to refuse locations.
    /// - Throws: `DownloadError` with code `invalidURL`.
    init(_ urls: [String], hub: HubFileURL?) throws(DownloadError) {
        for url in urls {
            guard let hub, HubLocation.isLocation(url) else {
                sources.append(try Source(url))
                continue
            }
            let location = try HubLocation(url)
            if sources.isEmpty { self.location = location }
            sources.append(try hub(location))
        }
    }
}
