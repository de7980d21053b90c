import SegmentedDL
import SegmentedDLOptions

/// The part of a request that all files of a run share.
///
/// It holds plain values: a list may have a million files, and to read an option takes its time.
struct RequestTemplate: Sendable {
    let s3: S3Options
    /// Further sources of the file on the command line.
    let mirrors: [String]
    let destination: DownloadRequest.Destination
    /// The directory of files that the command line names one by one.
    let directory: String?
    /// True if missing directories of the file's path are made.
    let makesDirectory: Bool
    let segments: SegmentCount?
    let headers: [HTTPHeader]
    let credentials: Credentials?
    let checksums: [Checksum]
    let expectedTypes: [String]
    let naming: FileNaming
    let ifExists: ExistingFilePolicy
    let keepsRemoteDate: Bool
    let takesOver: Bool
    let startsOver: Bool
    let followsLinks: Bool
    let verifiesServerDigest: Bool
    let longest: Int64?
    let ifEncoded: EncodedContentPolicy
    let order: SegmentOrder

    init(_ command: Fetch, to destination: DownloadRequest.Destination) {
        s3 = command.s3
        mirrors = command.mirror
        self.destination = destination
        directory = command.files.directory
        makesDirectory = command.files.output != nil
        segments = command.hasSeveralHosts ? command.limits.segments.count : nil
        headers = command.transport.headers
        credentials = command.transport.credentials
        checksums = command.files.checksum
        expectedTypes = command.files.expectType
        naming = command.files.trustServerNames ? .finalURL : .server
        ifExists = command.files.ifExists
        takesOver = command.files.takesOver
        keepsRemoteDate = !command.files.noRemoteTime
        startsOver = command.files.restart
        followsLinks = command.files.followLinks
        verifiesServerDigest = !command.files.noServerDigest
        longest = command.files.maxFilesize?.limit
        ifEncoded = command.files.ifEncoded
        order = command.files.streamOrder ? .inOrder : .fastest
    }

    /// Returns the request for one file.
    func request(for file: NamedFile) throws(DownloadError) -> DownloadRequest {
        let (source, key) = try s3.object(file.url)
        let options = file.options
        let usual = file.output.map { FileOptions.place(output: $0, directory: directory) } ?? destination
        var request = DownloadRequest(source, to: options.destination(default: usual))
        // A list may name a whole tree.
        request.makesDirectory = makesDirectory || options.name != nil
        request.segments = segments
        for mirror in mirrors + file.mirrors { request.mirrors.append(try Source(mirror)) }
        request.headers = headers + options.headers
        request.credentials = credentials ?? key
        request.checksums = options.checksums + checksums
        request.followsLinks = followsLinks
        request.verifiesServerDigest = verifiesServerDigest
        request.maximumLength = longest
        request.ifEncoded = ifEncoded
        request.order = order
        request.expectedTypes = options.types.isEmpty ? expectedTypes : options.types
        request.naming = naming
        request.ifExists = ifExists
        request.keepsRemoteDate = keepsRemoteDate
        request.takesOver = takesOver
        request.startsOver = startsOver
        options.values.change(&request)
        return request
    }
}
