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
    func run(from offset: Int64) async throws -> ProbedResponse {
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
    ) throws -> ProbedResponse? {
        func found(
            _ length: Int64?, ranges: Bool, body: ByteRange?, isUnchanged: Bool = false
        ) -> ProbedResponse {
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
            return ProbedResponse(
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

/// A first response: what it says about the file, and its body, held back until it is known where to.
final class ProbedResponse: Sendable {
    let response: Response
    let permit: ConnectionPermit
    let resource: ResourceInfo
    /// Seconds from the request to the head.
    let setupTime: Double
    /// Which bytes its body holds; `nil` if there are none to come.
    let body: ByteRange?
    /// Whether the condition of the request was found false: there is nothing to fetch.
    let isUnchanged: Bool
    private let isGivenUp = Lock(false)

    init(
        response: Response, permit: ConnectionPermit, resource: ResourceInfo, setupTime: Double,
        body: ByteRange?, isUnchanged: Bool = false
    ) {
        self.response = response
        self.setupTime = setupTime
        self.permit = permit
        self.resource = resource
        self.body = body
        self.isUnchanged = isUnchanged
    }

    deinit {
        abandon()
    }

    /// The whole file, if it came along with the head.
    var file: [UInt8]? {
        guard let bytes = response.transfer.body, let length = resource.length, body == 0..<length,
            Int64(bytes.count) == length
        else { return nil }
        return bytes
    }

    /// Whether the body can still be received.
    var isOpen: Bool { body != nil && !isGivenUp.withLock { $0 } }

    /// Gives up what has not been received, and the connection. Further calls do nothing.
    func abandon() {
        isGivenUp.withLock { $0 = true }
        response.transfer.abandon()
        permit.release()
    }

    /// Compares a sample over a connection of its own, in place of this one.
    ///
    /// - Throws: `TransferFailure`, `StorageError`, or `CancellationError`.
    func compare(
        _ comparison: SampleComparison, _ written: ByteRangeSet, _ retry: RetryPolicy
    ) async throws -> Bool {
        // With a cap of one connection, a second one would be waited for in vain.
        abandon()
        var recovery = Recovery(policy: retry, hasAnswered: true)
        while true {
            do {
                return try await comparison.requester.withPermit { permit in
                    try await comparison.matches(written, &permit)
                }
            } catch let failure as TransferFailure {
                let decision = recovery.decide(
                    failure, others: 0, written: 0, now: Monotonic.now(), jitter: .random(in: 0...1))
                guard case .retry(let wait) = decision else { throw failure }
                try await Task.sleep(for: .seconds(wait))
            }
        }
    }
}
