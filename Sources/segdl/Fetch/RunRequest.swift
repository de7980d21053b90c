import SegmentedDL

/// The request for one file of a run, or the error that prevents it.
typealias RunRequest = Result<DownloadRequest, DownloadError>

extension RunRequest {
    /// Resolves the location of a source; returns `nil` for a URL. May block.
    typealias Resolve = @Sendable (Source) throws(DownloadError) -> ResolvedSource?

    /// The URL in a form that can be displayed, without credentials and query.
    var shownURL: String {
        switch self {
        case .success(let request): request.source.description
        case .failure(let error): error.url ?? ""
        }
    }

    /// Returns the request, or an error if another file of the run has its name.
    func checked(_ names: RunNames, _ id: Int) -> RunRequest {
        guard case .success(let wanted) = self, let error = names.refusal(wanted, id) else { return self }
        return .failure(error)
    }

    /// Returns the request with a source that can be requested. May block.
    func resolved(_ resolve: Resolve) -> RunRequest {
        flatMap { request in
            do throws(DownloadError) {
                guard let source = try resolve(request.source) else { return self }
                var request = request
                request.resolve(to: source)
                return .success(request)
            } catch {
                return .failure(error)
            }
        }
    }
}

extension DownloadRequest {
    /// True if the caller has chosen the file's name.
    var hasExplicitName: Bool { if case .file = destination { true } else { false } }

    /// Returns the request with another destination.
    func with(_ destination: Destination) -> DownloadRequest {
        var request = self
        request.destination = destination
        return request
    }
}
