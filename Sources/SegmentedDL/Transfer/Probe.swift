internal import Logging
import SegmentedDLSupport

/// The first request of a download, whose body is already its first segment.
struct Probe: Sendable {
    let client: SourceClient
    let options: RequestOptions
    let retry: RetryPolicy
    /// True if digests that the server sends count.
    let readsDigest: Bool
    /// True if further sources that servers name count.
    let readsLinks: Bool

    /// Asks for everything from `offset` on, and returns with the answer's body held back.
    ///
    /// - Throws: `TransferFailure`, or `CancellationError`.
    func run(from offset: Int64) async throws -> FirstResponse {
        let decodes = client.ifEncoded == .decode
        var range = FirstRange(from: offset, decodes: decodes, mayTry: retry.retries > 0)
        return try await retry.retrying(for: client, hasAnswered: false, made: { range.trials }) {
            try client.checkPatience()
            range.begin()
            // In HTTP/2 only a length proves the end, and a decoded body has none.
            var permit = try await client.permit(sharingFor: decodes ? nil : options)
            do {
                let response = try await ask(&range, &permit)
                // The next file can use the connection while this one goes to disk.
                if response.response.transfer.body != nil { permit.release() }
                return response
            } catch {
                permit.release()
                throw error
            }
        }
    }

    private func ask(
        _ range: inout FirstRange, _ permit: inout ConnectionPermit
    ) async throws -> FirstResponse {
        while true {
            let began = Monotonic.now()
            let response = try await client.open(range.asked, &permit, options)
            let setupTime = Monotonic.now() - began
            let meaning = FirstRequestOutcome(
                response.verdict, asked: range, copy: options.copy.map { $0.isDescribed(by: response) },
                claimsRanges: response.head["accept-ranges"]?.lowercased() == "bytes",
                arrived: response.transfer.body.map { Int64($0.count) })
            switch meaning {
            case .found(let file):
                // The body of a copy that is there is of no use.
                if file.isUnchanged { response.transfer.abandon() }
                if file.body != nil || file.isUnchanged { permit.worked() }
                return FirstResponse(
                    response: response, permit: permit, resource: resource(file, in: response),
                    setupTime: setupTime, body: file.body, isUnchanged: file.isUnchanged)
            case .retry(let next):
                response.transfer.abandon()
                asksAgain(response, withRange: next != .none)
                range.asked = next
            case .retryWithoutRange:
                response.transfer.abandon()
                asksAgain(response, withRange: false)
                range.beginTrial()
            case .failed(let failure):
                response.transfer.abandon()
                throw response.told(failure)
            }
        }
    }

    private func asksAgain(_ response: Response, withRange: Bool) {
        client.logger.tell(
            .asksAgain(status: response.head.status, of: response.source, withRange: withRange))
    }

    private func resource(_ file: FirstRequestOutcome.File, in response: Response) -> ResourceInfo {
        let isWhole = file.body == 0..<(file.length ?? Int64.max)
        let links =
            readsLinks
            ? LinkedSources(redirects: response.redirects, last: (response.head, response.source)) : nil
        let sent = ServerDigest.strongest(in: response.head, bodyIsWhole: isWhole)
        // The type of 416 is that of the page about the error.
        let type = response.head.status == 416 ? nil : response.head["content-type"]
        let name = response.head["content-disposition"].flatMap(ContentDisposition.fileName)
        return ResourceInfo(
            length: file.length, acceptsRanges: file.acceptsRanges, validators: response.validators,
            digest: readsDigest && !response.isDecoded ? sent ?? links?.digest : nil,
            fileName: name.flatMap { SafeFileName.make($0) }, contentType: type,
            isEndProven: isWhole ? response.hasProvenEnd : true,
            linked: links?.sources ?? [], descriptions: links?.descriptions ?? [])
    }
}

extension Probe {
    /// The range that a download's first request asks for.
    struct FirstRange: Equatable, Sendable {
        var asked: TransferRequest.Range
        /// True while the range is left out because the server has failed with it: some fail only then, for
        /// example on empty files.
        private(set) var isTrial = false
        /// True if such a failure may still be the range's.
        private(set) var mayTry: Bool
        /// The requests without a range so far, which count as retries.
        private(set) var trials = 0

        /// - Parameters:
        ///   - decodes: True if the body may come decoded: a range would be one of the encoded bytes.
        ///   - mayTry: False if no request may be sent again.
        init(from offset: Int64, decodes: Bool = false, mayTry: Bool = true) {
            asked = decodes ? .none : .from(offset)
            self.mayTry = mayTry
        }

        /// Ends a trial that did not help.
        mutating func begin() {
            if isTrial { (asked, isTrial) = (.from(0), false) }
        }

        mutating func beginTrial() {
            (asked, isTrial, mayTry) = (.none, true, false)
            trials += 1
        }
    }

    /// The meaning of an answer to a download's first request.
    enum FirstRequestOutcome: Sendable {
        /// The facts about the file that are in the answer's head.
        struct File: Equatable, Sendable {
            /// Bytes; `nil` if only the end of the stream tells.
            var length: Int64?
            /// True if the answer is the range that was asked for.
            var acceptsRanges = false
            /// The bytes that the body holds; `nil` if there are none to receive.
            var body: ByteRange?
            /// True if the condition of the request is false: there is nothing to fetch.
            var isUnchanged = false
        }

        case found(File)
        /// The request has to be sent again, with this range.
        case retry(TransferRequest.Range)
        /// The request has to be sent once without a range, because the server has failed with it.
        case retryWithoutRange
        case failed(TransferFailure)

        /// - Parameters:
        ///   - copy: True if the answer describes the copy that the request asked about; `nil` if it asked
        ///     about none.
        ///   - claimsRanges: True if the head has `Accept-Ranges: bytes`.
        ///   - arrived: The length in bytes of a body that came along with the head.
        init(
            _ verdict: ResponseVerdict, asked first: FirstRange, copy: Bool? = nil,
            claimsRanges: Bool = false, arrived: Int64? = nil
        ) {
            let range = first.asked
            // Some servers ignore the condition of a request, always or beside a range.
            if copy == true {
                self = .found(File(isUnchanged: true))
                return
            }
            switch verdict {
            // The failure with a range has passed: without ranges a long file would get one connection only.
            case .whole where first.isTrial && claimsRanges && arrived == nil:
                self = .retry(.from(0))
            case .failing(let status) where status >= 500 && range == .from(0) && first.mayTry:
                self = .retryWithoutRange
            case .range(let body, let total):
                self = .found(File(length: total, acceptsRanges: true, body: body))
            case .whole(let stated):
                let length = stated ?? arrived
                self = .found(File(length: length, body: 0..<(length ?? Int64.max)))
            case .unchanged where copy != nil:
                self = .found(File(isUnchanged: true))
            case .unsatisfiable(total: 0?) where range == .from(0):
                self = .found(File(length: 0, acceptsRanges: true))
            case .unsatisfiable, .wrongRange:
                self = Self.withoutRange(verdict, asked: range)
            default:
                self = .failed(TransferFailure(verdict) ?? .wrongRange("an answer without a range"))
            }
        }

        private static func withoutRange(
            _ verdict: ResponseVerdict, asked range: TransferRequest.Range
        ) -> FirstRequestOutcome {
            switch range {
            // Some servers get ranges wrong, but not the plain file.
            case .from(0): .retry(.none)
            // The file is shorter than the bytes on disk.
            case .from, .exactly: .retry(.from(0))
            case .none: .failed(TransferFailure(verdict) ?? .wrongRange("an answer without a range"))
            }
        }
    }
}
