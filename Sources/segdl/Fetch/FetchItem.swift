import SegmentedDL

/// One file of a run: its request, or the reason why it has none.
struct FetchItem: Sendable {
    /// The URL as it may be shown: without credentials and query.
    let url: String
    var request: Result<DownloadRequest, DownloadError>
}

extension FetchItem {
    init(_ file: NamedFile, _ template: RequestTemplate) {
        let place = file.place.map { "\($0): " } ?? ""
        guard !file.isWrong else {
            url = file.place ?? ""
            request = .failure(DownloadError(.invalidSetting, "\(place)\(file.url)."))
            return
        }
        do {
            let made = try template.request(for: file)
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

extension FetchItem {
    /// Returns the file, without its request if another file of the run has its name.
    func checked(_ names: RunNames, _ id: Int) -> FetchItem {
        guard case .success(let wanted) = request, let error = names.refusal(wanted, id) else { return self }
        var item = self
        item.request = .failure(error)
        return item
    }
}
