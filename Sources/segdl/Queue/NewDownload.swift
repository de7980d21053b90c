import SegmentedDL
import SegmentedDLQueue
import SystemPackage

/// A download to add, complete in itself: its paths are absolute.
struct NewDownload: Codable, Sendable {
    var url: String
    var destination: DownloadRequest.Destination
    var key: String?
    var makesDirectory = false
    var checksums: [Checksum] = []
    /// `nil`, as from an earlier version, for any.
    var expectedTypes: [String]?
    var verifiesServerDigest = true
    var segments: SegmentCount?
    var ifExists = ExistingFilePolicy.fail
    var naming = FileNaming.server
    /// Bytes per second.
    var rate: Int64?
    var priority = 0
    var onComplete: String?
    var startsPaused = false
    var startsOver = false

    func request() throws(DownloadError) -> DownloadRequest {
        var request = try DownloadRequest(url, to: destination)
        request.makesDirectory = makesDirectory
        request.checksums = checksums
        request.expectedTypes = expectedTypes ?? []
        request.verifiesServerDigest = verifiesServerDigest
        request.segments = segments
        request.ifExists = ifExists
        request.naming = naming
        request.rate = rate
        request.priority = priority
        request.startsOver = startsOver
        return request
    }

    func entry() throws(DownloadError) -> QueueEntry {
        let request = try request()
        try request.source.checkHasNoCredentials()
        var entry = QueueEntry(request, key: key, onComplete: onComplete)
        entry.startsPaused = startsPaused
        return entry
    }
}

extension Source {
    /// Checks that a queue may store the source.
    ///
    /// - Throws: `DownloadError` with code `invalidURL` for a source with credentials.
    func checkHasNoCredentials() throws(DownloadError) {
        guard hasCredentials else { return }
        throw DownloadError(
            .invalidURL,
            "\(self): the queue stores no credentials; leave them out of the URL, and give --netrc or --user to segdl queue start.",
            url: description)
    }
}
