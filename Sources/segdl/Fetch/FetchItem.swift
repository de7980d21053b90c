import SegmentedDL
internal import SegmentedDLMirror

/// One file of a run: what is to be downloaded, or why it cannot be.
struct FetchItem: Sendable {
    /// A URL as it was given.
    struct Named: Sendable {
        var url: String
        /// Further sources of the same file.
        var mirrors: [String] = []
        /// What its list says of it.
        var options = InputOptions()
        /// The list and line it stands in.
        var place: String?
        /// Whether the list's line could not be read; `url` then says why.
        var isWrong = false
    }

    /// The URL as it may be shown: without credentials and query.
    let url: String
    let request: Result<DownloadRequest, DownloadError>

    init(_ named: Named, _ make: (String) throws(DownloadError) -> DownloadRequest) {
        let place = named.place.map { "\($0): " } ?? ""
        guard !named.isWrong else {
            url = named.place ?? ""
            request = .failure(DownloadError(.invalidSetting, "\(place)\(named.url)."))
            return
        }
        do {
            let made = try make(named.url)
            url = made.source.description
            request = .success(made)
        } catch {
            url = error.url ?? ""
            var located = error
            located.message = place + error.message
            request = .failure(located)
        }
    }
}
