import SegmentedDL

/// One file of a run: what is to be downloaded, or why it cannot be.
struct FetchItem: Sendable {
    /// A URL as it was given.
    struct Named: Sendable {
        var url: String
        /// The list and line it stands in.
        var place: String?
        /// Whether the list's line could not be read; `url` then says why.
        var isWrong = false
    }

    let url: String
    let request: Result<DownloadRequest, DownloadError>

    init(_ named: Named, _ make: (String) throws(DownloadError) -> DownloadRequest) {
        url = named.url
        let place = named.place.map { "\($0): " } ?? ""
        guard !named.isWrong else {
            request = .failure(DownloadError(.invalidSetting, "\(place)\(named.url)."))
            return
        }
        do {
            request = .success(try make(named.url))
        } catch {
            var located = error
            located.message = place + error.message
            request = .failure(located)
        }
    }
}
