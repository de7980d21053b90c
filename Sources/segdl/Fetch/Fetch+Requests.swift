import SegmentedDL
import SegmentedDLOptions

extension Fetch {
    /// Returns the requests for files, or the errors that prevent them.
    func requests(for entries: [InputList.Entry]) throws(DownloadError) -> [RunRequest] {
        let output = isPaired ? nil : files.output
        let usual = try usualRequest(to: FileOptions.place(output: output, directory: files.directory))
        return entries.map { entry in
            let place = "\(input ?? ""):\(entry.line)"
            switch entry {
            case .wrong(let reason, _):
                return .failure(DownloadError(.invalidSetting, "\(place): \(reason).", url: place))
            case .file(let file):
                do throws(DownloadError) {
                    return .success(try file.request(as: usual, directory: files.directory))
                } catch {
                    var located = error
                    if file.line > 0 { located.message = "\(place): \(error.message)" }
                    return .failure(located)
                }
            }
        }
    }

    /// Returns the request for a file that has no settings of its own. Its source is a placeholder.
    ///
    /// It is created once, because a list may have a million files and reading an option takes time.
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
