import SegmentedDL
internal import SegmentedDLMirror
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
    /// - Parameters:
    ///   - hub: The hub's settings, if a file of the run is in one.
    ///   - store: The store's settings, if a file of the run is in one.
    func requests(
        to destination: DownloadRequest.Destination, hub: HubSettings? = nil, store: S3Settings? = nil
    ) throws(DownloadError) -> @Sendable (NamedFile) -> RunRequest {
        let usual = try usualRequest(to: destination)
        return { [directory = files.directory] file in
            let place = file.place.map { "\($0): " } ?? ""
            do throws(DownloadError) {
                guard !file.isWrong else { throw DownloadError(.invalidSetting, "\(file.url).") }
                return .success(try file.request(as: usual, store: store, hub: hub, directory: directory))
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
    /// Returns the repository of a file in a hub; `nil` for other files.
    func repository(of hub: HubSettings?) throws(DownloadError) -> HubSource? {
        guard let hub, HubLocation.isLocation(url) else { return nil }
        return HubSource(try HubLocation(url), hub)
    }

    /// Returns the request for the file.
    ///
    /// - Parameters:
    ///   - usual: The request for a file without its own settings.
    ///   - directory: The directory of files that the command line names individually.
    fileprivate func request(
        as usual: DownloadRequest, store: S3Settings?, hub: HubSettings?, directory: String?
    ) throws(DownloadError) -> DownloadRequest {
        var request = usual
        guard !RegistryLocation.isLocation(url) else {
            throw DownloadError(
                .invalidURL, "'\(Printable.text(url))' names an image, which has several files; mirror it."
            ).remedied(by: .mirror)
        }
        let repository = try repository(of: hub)
        let (source, key): (Source, Credentials?)
        if let repository {
            (source, key) = (try repository.file(), nil)
        } else if let store, S3Location.isLocation(url) {
            (source, key) = (try S3Location(url).object(in: store), store.credentials)
        } else {
            (source, key) = (try Source(url), nil)
        }
        request.source = source
        let own = output.map { FileOptions.place(output: $0, directory: directory) }
        request.destination = options.destination(default: own ?? usual.destination)
        // A list may contain a whole tree.
        if options.name != nil { request.makesDirectory = true }
        for mirror in mirrors { request.mirrors.append(try Source(mirror)) }
        request.headers += options.headers
        if repository != nil, !request.headers.haveAuthorization { request.headers += hub?.headers ?? [] }
        request.credentials = usual.credentials ?? key
        request.checksums = options.checksums + usual.checksums
        if !options.types.isEmpty { request.expectedTypes = options.types }
        options.values.change(&request)
        return request
    }
}
