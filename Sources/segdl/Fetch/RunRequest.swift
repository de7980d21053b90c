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

    /// Returns the numbers of the files without duplicates, because a second download would write the same
    /// file.
    static func distinct(_ requests: [RunRequest]) -> [Int] {
        // Compare hashes, because a list may have very many files.
        var first: [Int: Int] = [:]
        return requests.indices.filter { id in
            guard case .success(let request) = requests[id] else { return true }
            var hasher = Hasher()
            hasher.combine(request.source)
            hasher.combine(request.destination)
            let key = hasher.finalize()
            guard let earlier = first[key] else {
                first[key] = id
                return true
            }
            return request != (try? requests[earlier].get())
        }
    }
}

extension DownloadRequest {
    /// Returns the request with another destination.
    func with(_ destination: Destination) -> DownloadRequest {
        var request = self
        request.destination = destination
        return request
    }
}
