import SegmentedDL
import SegmentedDLOptions
import SystemPackage

extension InputList.File {
    /// Returns the request for the file.
    ///
    /// - Parameters:
    ///   - usual: The request for a file without settings of its own.
    ///   - directory: The directory of files that are named individually on the command line.
    func request(
        as usual: DownloadRequest, directory: String? = nil
    ) throws(DownloadError) -> DownloadRequest {
        var request = usual
        request.source = try Source(named: urls[0])
        let own = options.output.map { FileOptions.place(output: $0, directory: directory) }
        request.destination = options.destination(default: own ?? usual.destination)
        // A list may contain a whole tree.
        if options.name != nil { request.makesDirectory = true }
        for mirror in urls.dropFirst() { request.mirrors.append(try Source(mirror)) }
        if !options.headers.isEmpty { request.headers = headers(of: request) }
        request.checksums = options.checksums + usual.checksums
        if !options.types.isEmpty { request.expectedTypes = options.types }
        options.values.change(&request)
        return request
    }

    /// Returns the headers of the file's request: those of the list replace those of the command line. In
    /// aria2's lists, an asterisk is the URL itself.
    private func headers(of request: DownloadRequest) -> [HTTPHeader] {
        let names = Set(options.headers.map { $0.name.lowercased() })
        let own = options.headers.map { header in
            header == HTTPHeader("Referer", "*") ? HTTPHeader("Referer", request.source.url) : header
        }
        return request.headers.filter { !names.contains($0.name.lowercased()) } + own
    }
}

extension InputOptions {
    /// Returns the destination of the file.
    ///
    /// - Parameter usual: The destination of a file without options of its own.
    fileprivate func destination(default usual: DownloadRequest.Destination) -> DownloadRequest.Destination {
        guard directory != nil || name != nil else { return usual }
        var base = FilePath(directory ?? ".")
        if directory == nil, case .directory(let path) = usual { base = path }
        return name.map { .file(base.appending($0)) } ?? .directory(base)
    }
}
