internal import Logging
import SegmentedDLSupport

/// The first request of a download, whose body is already its first segment.
struct Probe: Sendable {
    let client: SourceClient
    let options: RequestOptions
    let retry: RetryPolicy
    /// True if one response has to hold the whole file, because no two describe the same.
    let asksForAll: Bool
    /// True if digests that the server sends count.
    let readsDigest: Bool
    /// True if further sources that servers name count.
    let readsLinks: Bool
    /// The facts about the file that are known before it is asked for.
    let expected: ExpectedFile

    /// Asks for everything from `offset` on, and returns with the answer's body held back.
    ///
    /// - Throws: `TransferFailure`, or `CancellationError`.
    func run(from offset: Int64) async throws -> FirstResponse {
        let decodes = client.ifEncoded == .decode
        var range = FirstRange(
            from: offset, asksForAll: decodes || asksForAll, mayTry: retry.retries > 0)
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
        var options = options
        while true {
            let began = Monotonic.now()
            let response = try await client.open(range.asked, &permit, options)
            let setupTime = Monotonic.now() - began
            let meaning = FirstRequestOutcome(
                response.verdict, asked: range, copy: options.copy.map { $0.isDescribed(by: response) },
                hasCondition: options.hasCondition,
                claimsRanges: response.head["accept-ranges"]?.lowercased() == "bytes",
                arrived: response.transfer.body.map { Int64($0.count) },
                isPage: expected.isOtherwise(than: response.head["content-type"]),
                mayBeEmpty: expected.isEmpty || ServerDigest.isOfNothing(response.head))
            switch meaning {
            case .found(let file):
                // The body of a copy that is there is of no use.
                if file.isUnchanged { response.transfer.abandon() }
                if file.body != nil || file.isUnchanged { permit.worked() }
                // Only this length has been found to work.
                if case .exactly(let asked) = range.asked { client.rangeCap.lower(to: asked.length) }
                return FirstResponse(
                    response: response, permit: permit, resource: resource(file, in: response),
                    setupTime: setupTime, body: file.body, isUnchanged: file.isUnchanged,
                    isRanged: range.asked != .none)
            case .retry(let next):
                response.transfer.abandon()
                asksAgain(response, withRange: next != .none)
                range.ask(next)
            case .retryWithoutRange:
                response.transfer.abandon()
                asksAgain(response, withRange: false)
                options.hasCondition = false
                // Some refuse `Accept-Encoding: identity`, with these statuses (RFC 9110, sections 12.5.3 and
                // 15.5.16) or with others.
                if (400..<500).contains(response.head.status), response.head.status != 416 {
                    options.namesCoding = false
                }
                range.beginTrial(after: response.verdict)
            case .retryWithoutCondition:
                response.transfer.abandon()
                asksAgain(response, withRange: true)
                options.hasCondition = false
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
        return ResourceInfo(
            length: file.length, acceptsRanges: file.acceptsRanges, validators: response.validators,
            digest: readsDigest && !response.isDecoded
                ? sent ?? links?.digest ?? ServerDigest.linked(in: response.redirects.lazy.map(\.head)) : nil,
            fileName: response.head["content-disposition"].flatMap(ContentDisposition.fileName).flatMap(name),
            finalName: name(response.source.lastPathComponent), contentType: type,
            isEndProven: isWhole ? response.hasProvenEnd : true,
            linked: links?.sources ?? [], descriptions: links?.descriptions ?? [])
    }

    /// Returns a name that a server chose, made safe; the one that the caller chose as well stays as it is.
    private func name(_ received: String) -> String? {
        received == client.source.lastPathComponent ? client.source.fileName : SafeFileName.make(received)
    }
}

extension Probe {
    /// The range that a download's first request asks for.
    struct FirstRange: Equatable, Sendable {
        var asked: TransferRequest.Range
        let asksForAll: Bool
        /// The reason why a range is left out for the time being.
        enum Trial: Equatable, Sendable {
            /// The server has failed with it: some fail only then, for example on empty files.
            case afterFailure
            /// The server has refused it, or sent nothing, or a page: some do so to each range, or each
            /// without an end.
            case afterRefusal
            /// The connection was lost again and again, or the server was busy: some are so to each range.
            case afterLosses
        }
        private(set) var trial: Trial?
        /// The offset from which the file is asked for, in bytes.
        private(set) var start: Int64
        /// The number of times in a row that the file was asked for without success.
        private var attempts = 0
        /// True once a range was asked for again, because the server answers without one.
        private(set) var hasReturned = false
        /// True once a range has been left out.
        private(set) var hasTried = false
        /// True if a failure may still be the range's.
        private(set) var mayTry: Bool
        /// The requests without a range so far, which count as retries.
        private(set) var trials = 0

        /// - Parameters:
        ///   - asksForAll: True if no range is of use: that of a body that may come decoded would be one of
        ///     the encoded bytes.
        ///   - mayTry: False if no request may be sent again.
        init(from offset: Int64, asksForAll: Bool = false, mayTry: Bool = true) {
            self.asksForAll = asksForAll
            start = offset
            asked = asksForAll ? .none : .from(offset)
            self.mayTry = mayTry
        }

        /// The attempts after which a range is left out.
        private static let attemptsWithRange = 2

        /// Begins an attempt. It ends a trial that did not help.
        mutating func begin() {
            if trial != nil { (asked, trial) = (.from(start), nil) }
            attempts += 1
            if attempts > Self.attemptsWithRange, asked == .from(start) {
                (asked, trial) = (.none, .afterLosses)
            }
        }

        /// Asks for another range after an answer.
        mutating func ask(_ next: TransferRequest.Range) {
            if trial == .afterLosses { hasReturned = true }
            if case .from(let offset) = next { start = offset }
            asked = next
        }

        /// True if a range is asked for once more, should the server have ranges.
        var mayReturn: Bool { trial == .afterFailure || trial == .afterLosses && !hasReturned }

        /// Leaves the range out for once.
        mutating func beginTrial(after verdict: ResponseVerdict) {
            (asked, mayTry, hasTried) = (.none, false, true)
            trial = verdict.isFailing ? .afterFailure : .afterRefusal
            if verdict.isFailing { trials += 1 }
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
        /// The request has to be sent once without a range, which may be the reason for the answer.
        case retryWithoutRange
        /// The request has to be sent again without its condition, which the server has refused.
        case retryWithoutCondition
        case failed(TransferFailure)

        /// - Parameters:
        ///   - copy: True if the answer describes the copy that the request asked about; `nil` if it asked
        ///     about none.
        ///   - hasCondition: False if it asked about that copy without a condition.
        ///   - claimsRanges: True if the head has `Accept-Ranges: bytes`.
        ///   - arrived: The length in bytes of a body that came along with the head.
        ///   - isPage: True if a web page came in the place of a file of another kind.
        ///   - mayBeEmpty: True if something else than the length says that the file is empty.
        init(
            _ verdict: ResponseVerdict, asked first: FirstRange, copy: Bool? = nil, hasCondition: Bool = true,
            claimsRanges: Bool = false, arrived: Int64? = nil, isPage: Bool = false,
            mayBeEmpty: @autoclosure () -> Bool = false
        ) {
            let range = first.asked
            let isConditional = copy != nil && hasCondition
            // Some servers ignore the condition of a request, always or beside a range.
            if copy == true {
                self = .found(File(isUnchanged: true))
                return
            }
            switch verdict {
            // The failure with a range has passed: without ranges a long file would get one connection only.
            case .whole where first.mayReturn && (claimsRanges || first.start > 0) && arrived == nil:
                self = .retry(.from(first.start))
            case .failing(let status) where status >= 500 && range == .from(0) && first.mayTry:
                self = .retryWithoutRange
            case .range(let body, let total):
                self = .found(File(length: total, acceptsRanges: true, body: body))
            // Some servers have nothing, or a page about it, for each request with a range.
            case .whole(let stated)
            where range != .none && (isPage || (stated ?? arrived) == 0 && !mayBeEmpty()):
                self = .retryWithoutRange
            case .whole(let stated):
                let length = stated ?? arrived
                self = .found(File(length: length, body: 0..<(length ?? Int64.max)))
            // If-None-Match alone is no reason for 412 (RFC 9110, section 13.2.2), but some servers compare
            // only tags in quotes, and theirs have none.
            case .refused(400) where isConditional, .refused(412) where isConditional:
                self = .retryWithoutCondition
            case .unchanged where isConditional:
                self = .found(File(isUnchanged: true))
            // No condition was sent: some caches answer ranges in this way.
            case .unchanged where range != .none && !first.hasTried:
                self = .retryWithoutRange
            case .unsatisfiable(total: 0?) where range == .from(0):
                self = mayBeEmpty() ? .found(File(length: 0, acceptsRanges: true)) : .retryWithoutRange
            case .unsatisfiable, .wrongRange:
                self = Self.withoutRange(verdict, asked: range)
            case .refused(let status) where RangeRefusal.isPossible(status),
                .gone(let status, _) where RangeRefusal.isPossible(status):
                self = Self.refused(verdict, status: status, first)
            default:
                self = .failed(TransferFailure(verdict) ?? .wrongRange("an answer without a range"))
            }
        }

        private static func refused(
            _ verdict: ResponseVerdict, status: Int, _ first: FirstRange
        ) -> FirstRequestOutcome {
            switch first.asked {
            case .from where !first.hasTried:
                return .retryWithoutRange
            // 403 is the usual word for a file that is not for the caller.
            case .none where !first.asksForAll && status >= 400 && status != 403:
                return .retry(.exactly(0..<RangeRefusal.lengths[0]))
            case .none, .from, .exactly:
                return .failed(TransferFailure(verdict) ?? .refused(status: .init(status)))
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
