internal import SystemPackage

/// A response that is the whole of a small file, by the rules for the first response of any download.
struct PlainAnswer: Sendable {
    let head: ResponseHead
    let resource: ResourceInfo
    let body: [UInt8]

    enum Verdict: Sendable {
        case plain(PlainAnswer)
        /// An ordinary download must be started.
        case other
        /// The same, and the host limits its requests.
        case restricted(ResponseVerdict)
    }

    /// The range that is requested, as in the first request of any download.
    static let asked = TransferRequest.Range.from(0)

    /// - Parameter now: Seconds since 1970.
    static func verdict(
        _ head: ResponseHead, body: [UInt8], to request: DownloadRequest, now: Int64
    ) -> Verdict {
        let source = request.source
        let verdict = meaning(of: head, refusalText: body, to: request, now: now)
        guard !verdict.isBusy, RequestQuota(head, now: now) == nil else { return .restricted(verdict) }
        let expected = request.expectedFile
        let outcome = Probe.FirstRequestOutcome(
            verdict, asked: Probe.FirstRange(from: 0), arrived: Int64(body.count),
            isPage: expected.isOtherwise(than: head["content-type"]),
            mayBeEmpty: expected.isEmpty || ServerDigest.isOfNothing(head))
        guard case .found(let file) = outcome, !file.isUnchanged, let length = file.length,
            file.body == 0..<length, length == Int64(body.count)
        else { return .other }
        var resource = file.resource(
            head, from: source, of: source, validators: Validators(head), hasProvenEnd: true)
        resource.digest =
            request.verifiesServerDigest
            ? resource.digest ?? ServerDigest.ofHub(redirects: [], last: head) : nil
        if !request.verifiesServerDigest { resource.composite = nil }
        guard suits(resource, request) else { return .other }
        return .plain(PlainAnswer(head: head, resource: resource, body: body))
    }

    /// Returns the interpretation of a response, by the rules for the first response of any download.
    ///
    /// - Parameters:
    ///   - refusalText: The beginning of the body of a refusal; empty if it is unknown.
    ///   - now: Seconds since 1970.
    static func meaning(
        of head: ResponseHead, refusalText: [UInt8], to request: DownloadRequest, now: Int64
    ) -> ResponseVerdict {
        let names = request.givenNames
        let verdict = ResponseVerdict(
            head, asked: asked, now: now, names: names,
            ifEncoded: request.ifEncoded.forFile(named: names))
        // Only a refusal is worth the search in its body.
        guard head.refusalSeconds != nil else { return verdict }
        return verdict.corrected(by: RefusalReason.text(refusalText, of: head))
    }

    /// Returns true if an ordinary download would store the file under the expected name, without a notice.
    private static func suits(_ resource: ResourceInfo, _ request: DownloadRequest) -> Bool {
        let length = resource.length ?? 0
        guard length == request.expectedLength ?? length,
            !LengthLimit.isExceeded(request.lengthLimit, by: length),
            request.expectedTypes.isEmpty
                || MediaRange.include(resource.contentType, in: request.expectedTypes)
        else { return false }
        if case .directory = request.destination, !request.naming.isDigest,
            let served = resource.servedName(for: request), served != request.source.fileName
        {
            return false
        }
        let name = DestinationPath.expected(for: request)?.lastComponent?.string
        return !WebPage.isUnexpected(resource.contentType, for: request, stored: name)
    }
}
