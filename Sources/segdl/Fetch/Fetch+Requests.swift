import SegmentedDL
import SegmentedDLOptions

/// The request for one file of a run, or the reason why none could be made.
typealias RunRequest = Result<DownloadRequest, DownloadError>

extension RunRequest {
    /// The URL in displayable form: without credentials and query.
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
}

extension Fetch {
    /// Returns the function that makes the request for each file of the run.
    ///
    /// - Parameter resolver: Resolves the locations of files in hubs and stores.
    func requests(
        to destination: DownloadRequest.Destination, _ resolver: LocationResolver
    ) throws(DownloadError) -> @Sendable (NamedFile) -> RunRequest {
        let usual = try usualRequest(to: destination)
        return { [directory = files.directory] file in
            let place = file.place.map { "\($0): " } ?? ""
            do throws(DownloadError) {
                guard !file.isWrong else { throw DownloadError(.invalidSetting, "\(file.url).") }
                return .success(try file.request(as: usual, resolver, directory: directory))
            } catch {
                var located = error
                located.message = place + error.message
                if file.isWrong { located.url = file.place }
                return .failure(located)
            }
        }
    }

    /// Returns the request for a file without its own settings. Its source is a placeholder.
    ///
    /// A list may have a million files, and reading an option takes time.
    private func usualRequest(
        to destination: DownloadRequest.Destination
    ) throws(DownloadError) -> DownloadRequest {
        var request = try DownloadRequest("http://localhost/", to: destination)
        request.makesDirectory = files.output != nil
        request.segments = hasSeveralHosts ? limits.segments.count : nil
        request.headers = transport.headers
        request.credentials = transport.credentials
        request.checksums = files.checksum
        request.expectedTypes = files.expectType
        request.naming = files.trustServerNames ? .finalURL : .server
        request.ifExists = files.ifExists
        request.takesOver = files.takesOver
        request.keepsRemoteDate = !files.noRemoteTime
        request.startsOver = files.restart
        request.followsLinks = files.followLinks
        request.verifiesServerDigest = !files.noServerDigest
        request.proofPolicy = files.proof.policy
        request.maximumLength = files.maxFilesize?.limit
        request.ifEncoded = files.ifEncoded
        request.order = files.streamOrder ? .inOrder : .fastest
        return request
    }
}

extension NamedFile {
    /// Returns an error of the download with the knowledge of the hub that the file is in.
    func explained(_ error: DownloadError, _ resolver: LocationResolver) -> DownloadError {
        guard let location = try? FileLocation(url) else { return error }
        return (try? resolver.resolved(location))?.explained(error) ?? error
    }

    /// Returns the request for the file.
    ///
    /// - Parameters:
    ///   - usual: The request for a file without its own settings.
    ///   - directory: The directory of files that the command line names individually.
    fileprivate func request(
        as usual: DownloadRequest, _ resolver: LocationResolver, directory: String?
    ) throws(DownloadError) -> DownloadRequest {
        var request = usual
        request.source = try Source(named: url)
        let own = output.map { FileOptions.place(output: $0, directory: directory) }
        request.destination = options.destination(default: own ?? usual.destination)
        // A list may contain a whole tree.
        if options.name != nil { request.makesDirectory = true }
        for mirror in mirrors { request.mirrors.append(try Source(mirror)) }
        request.headers += options.headers
        if let location = request.source.location { request.resolve(to: try resolver.resolved(location)) }
        request.checksums = options.checksums + usual.checksums
        if !options.types.isEmpty { request.expectedTypes = options.types }
        options.values.change(&request)
        return request
    }
}
