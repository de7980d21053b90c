import SegmentedDLSupport

/// The first request of a download, whose body is already its first segment.
struct Probe: Sendable {
    let requester: Requester
    let retry: RetryPolicy
    /// Whether digests that the server sends are taken note of.
    let readsDigest: Bool
    /// Whether further sources that servers name are taken note of.
    let readsLinks: Bool

    init(of request: DownloadRequest, _ requester: Requester, _ retry: RetryPolicy) {
        self.requester = requester.probing(request)
        self.retry = retry
        readsDigest = request.verifiesServerDigest
        readsLinks = request.followsLinks
    }

    /// Asks for everything from `offset` on and returns with the answer's body held back.
    ///
    /// - Throws: `TransferFailure`, or `CancellationError`.
    func run(from offset: Int64) async throws -> FirstResponse {
        var recovery = Recovery(policy: retry, hasAnswered: false)
        var range = TransferRequest.Range.from(offset)
        try requester.checkPatience()
        var permit = try await requester.permit()
        while true {
            do {
                let began = Monotonic.now()
                let response = try await requester.open(range, &permit)
                let setupTime = Monotonic.now() - began
                if let found = try interpret(response, &range, permit, setupTime) {
                    // The next file can have the connection, while this one goes to disk.
                    if response.transfer.body != nil { permit.release() }
                    return found
                }
            } catch let failure as TransferFailure {
                permit.release()
                let decision = recovery.decide(
                    failure, others: 0, written: 0, now: Monotonic.now(), jitter: .random(in: 0...1))
                guard case .retry(let wait) = decision else { throw failure }
                try await Task.sleep(for: .seconds(wait))
                try requester.checkPatience()
                permit = try await requester.permit()
            } catch {
                permit.release()
                throw error
            }
        }
    }

    /// - Returns: `nil` if the request is to be sent again, with another range.
    private func interpret(
        _ response: Response, _ range: inout TransferRequest.Range, _ permit: ConnectionPermit,
        _ setupTime: Double
    ) throws -> FirstResponse? {
        func found(
            _ length: Int64?, ranges: Bool, body: ByteRange?, isUnchanged: Bool = false
        ) -> FirstResponse {
            let isWhole = body == 0..<(length ?? Int64.max)
            let links =
                readsLinks
                ? LinkedSources(redirects: response.redirects, last: (response.head, response.source)) : nil
            let sent = ServerDigest.strongest(in: response.head, bodyIsWhole: isWhole)
            let digest = readsDigest ? sent ?? links?.digest : nil
            let name = response.head["content-disposition"].flatMap(ContentDisposition.fileName)
            let resource = ResourceInfo(
                length: length, acceptsRanges: ranges, validators: Validators(response.head),
                digest: digest, fileName: name.flatMap { SafeFileName.make($0) },
                contentType: response.head["content-type"], linked: links?.sources ?? [],
                descriptions: links?.descriptions ?? [])
            return FirstResponse(
                response: response, permit: permit, resource: resource, setupTime: setupTime, body: body,
                isUnchanged: isUnchanged)
        }
        switch response.answer {
        case .range(let body, let total):
            permit.worked()
            return found(total, ranges: true, body: body)
        case .whole(let length):
            permit.worked()
            let known = length ?? response.transfer.body.map { Int64($0.count) }
            return found(known, ranges: false, body: 0..<(known ?? Int64.max))
        case .unchanged where requester.condition != nil:
            permit.worked()
            return found(nil, ranges: false, body: nil, isUnchanged: true)
        case .unsatisfiable(let total) where range == .from(0) && total == 0:
            return found(0, ranges: true, body: nil)
        case .unsatisfiable where range == .from(0), .wrongRange where range == .from(0):
            // Some servers get ranges wrong, but not the plain file.
            response.transfer.abandon()
            range = .none
            return nil
        case .unsatisfiable where range != .none, .wrongRange where range != .none:
            // The file is shorter than what is on disk.
            response.transfer.abandon()
            range = .from(0)
            return nil
        default:
            response.transfer.abandon()
            throw TransferFailure(response.answer, permit) ?? .wrongRange("an answer without a range")
        }
    }
}
