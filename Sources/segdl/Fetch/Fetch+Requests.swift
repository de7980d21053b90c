import SegmentedDL
import SegmentedDLOptions

extension Fetch {
    /// Returns the requests for the files of the command line, then those of the list, and the first source
    /// of each scheme.
    func requests() throws(DownloadError) -> (RunRequests, sources: [Source]) {
        let collector = try collected()
        if collector.hasRepetitions, !report.quiet {
            StandardError.write("segdl: a URL is given more than once; it is fetched once.\n")
        }
        if !report.quiet {
            OmittedHeaders.tell(collector.omittedHeaders)
            IgnoredOptions.tell(collector.ignoredOptions)
        }
        return (collector.requests, collector.sources)
    }

    private func collected() throws(DownloadError) -> RequestCollector {
        if !report.quiet { input.map(InputList.tellIfTyped) }
        var collector = try collector()
        for file in namedFiles { collector.add(.file(file)) }
        guard let input else { return collector }
        // In pieces, because a list may have very many files.
        var checked: [InputList.Entry] = []
        for piece in try InputList.pieces(input) {
            for entry in try piece.get() {
                if checked.count < ListCheck.sample {
                    checked.append(entry)
                    if checked.count == ListCheck.sample { try ListCheck.check(checked, of: input) }
                }
                collector.add(entry)
            }
        }
        if checked.count < ListCheck.sample { try ListCheck.check(checked, of: input) }
        return collector
    }

    func collector() throws(DownloadError) -> RequestCollector {
        let output = isPaired ? nil : files.output
        let usual = try usualRequest(to: FileOptions.place(output: output, directory: files.directory))
        return RequestCollector(
            RunRequests(usual: usual, directory: files.directory), list: input ?? "")
    }

    /// The files of the command line.
    private var namedFiles: [InputList.File] {
        var named = urls.map {
            InputList.File(urls: [SchemelessURL.url(InputList.trimmed($0[...]), quiet: report.quiet)])
        }
        if isPaired {
            for (index, output) in files.outputs.enumerated() { named[index].options.output = output }
        }
        if !mirror.isEmpty { named[0].urls += mirror }
        return named
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
        request.ifExists = files.policyForExisting
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
