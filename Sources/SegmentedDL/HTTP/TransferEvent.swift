internal import Logging
internal import SystemPackage

/// An event that does not end its download, for the log. Levels and texts follow these rules:
///
/// - notice: events shown to users by default, because the download is delayed, starts over, or continues
///   without part of what was requested.
/// - info: each retry, redirect and refusal, and each connection or source that is dropped or replaced.
/// - debug: the heads of responses.
enum TransferEvent: Sendable {
    /// A server sent a response head.
    case answered(ResponseHead, from: Source)
    case redirected(status: Int, from: Source, to: Source)
    /// A redirect from https to http, permitted by the settings.
    case redirectedInsecurely(from: Origin, to: Origin)
    /// A redirect target refuses further requests, as when a signed URL expires.
    case expired(status: Int, at: Source, from: Source)
    /// The first request is sent again, with or without a range.
    case asksAgain(status: Int, of: Source, withRange: Bool)
    /// A host is busy, and requests a delay of this many seconds, or none; with a remedy, if one is known.
    /// Only the first refusal of a pause is news.
    case busy(Origin, status: Int, seconds: Double?, advice: String? = nil, isNews: Bool = true)
    /// Requests wait this many seconds, because a host has announced that it accepts no more until then; with
    /// a remedy, if one is known.
    case quotaExhausted(String, seconds: Double, advice: String? = nil)
    /// The machine has no access keys for this reason, so requests are not signed.
    case unsigned(String)
    /// A server is silent; the connection is abandoned after the timeout, if there is one. Before that, the
    /// request is repeated after this many seconds, if at all.
    case silent(
        SilenceWatch.Silence, at: Origin, Source, SilenceWatch.Patience, repeatedAfter: Double? = nil)
    /// A host that has answered before is unreachable; it is retried for this many seconds.
    case outage(EngineError, of: Source, upTo: Double)
    /// A host answers after an outage of this many seconds.
    case reachedAgain(Origin, after: Double)
    /// A request is retried after this many seconds.
    case retries(TransferFailure, of: Source, after: Double, RetryState.Count?, isAtStart: Bool)
    /// A connection ended, and the others continue without it.
    case connectionDropped(TransferFailure, to: Source)
    /// A connection is replaced, because it is silent or far slower than others.
    case connectionReplaced(to: Source)
    /// A connection is abandoned, because another source is faster.
    case connectionMoved(from: Source)
    /// Requests for parts fail, and the whole file is requested.
    case asksForWhole(TransferFailure, of: Source)
    /// The rest is fetched over one connection, without ranges.
    case becomesStream(TransferFailure, from: Source)
    /// Connections repeatedly end after a few bytes of their ranges, and the whole file is requested.
    case rangesStarve(at: Source)
    /// Other sources temporarily take over.
    case sourcePassedOver(TransferFailure, Source)
    /// A source receives no further requests.
    case sourceDropped(TransferFailure, Source)
    /// A source receives no further requests, because it has another file.
    case sourceDiffers(String, Source)
    /// A source states a different date from the first one, and no digest shows whether it has the same file.
    case sourceOfOtherDate(Source)
    /// The first request failed, and another source is tried.
    case firstSourceFailed(String, Source)
    /// The file system refuses a name, and the file gets another one.
    case escapesName(String, as: String)
    /// A server or a URL chose a name that is reserved for manifests.
    case namedAsState(String, as: String)
    /// The file system of a directory lacks a feature that the download does not depend on.
    case lacks(FileSystemFeature, in: FilePath)
    /// A file is complete; its speed was limited by this bottleneck.
    case heldBack(Bottleneck, name: String)
}

extension TransferEvent {
    /// The minimum delay requested by a host, in seconds, that is shown by default.
    private static let longWaitSeconds = 2.0
    /// The first retry without progress that is shown by default, some seconds after the first failure; after
    /// that, each doubling of the number of retries is shown. Most transient failures are over by then. An
    /// unreachable host is shown immediately, because its name or port may be mistyped.
    private static let retryToldUnasked = 3
    /// Retries after a delay of at least this many seconds are always shown.
    private static let longRetrySeconds = 5.0

    var level: Logger.Level {
        switch self {
        case .answered: .debug
        case .busy(_, _, let seconds, _, let isNews):
            isNews && (seconds ?? 0) >= Self.longWaitSeconds ? .notice : .info
        case .quotaExhausted(_, let seconds, _): seconds >= Self.longWaitSeconds ? .notice : .info
        // The event `outage` reports it once, whereas each connection reports these.
        case .retries(let failure, _, _, _, _) where failure.outageSeconds != nil: .info
        case .retries(let failure, _, let wait, let count, let isAtStart):
            Self.isTold(
                count?.number ?? 0, fromFirst: isAtStart && failure.isOfConnecting,
                hasTakenLong: failure.isOfPatience || wait >= Self.longRetrySeconds) ? .notice : .info
        case .outage, .reachedAgain: .notice
        case .silent, .redirectedInsecurely, .becomesStream, .rangesStarve, .sourceDiffers,
            .sourceOfOtherDate, .firstSourceFailed, .lacks, .escapesName, .namedAsState:
            .notice
        case .redirected, .expired, .unsigned, .asksAgain, .asksForWhole, .connectionDropped,
            .connectionReplaced,
            .connectionMoved,
            .sourcePassedOver, .sourceDropped, .heldBack:
            .info
        }
    }

    private static func isTold(_ number: Int, fromFirst: Bool, hasTakenLong: Bool) -> Bool {
        if fromFirst && number == 1 || hasTakenLong { return true }
        let (doublings, rest) = number.quotientAndRemainder(dividingBy: retryToldUnasked)
        return rest == 0 && doublings.nonzeroBitCount == 1
    }

    var text: String {
        switch self {
        case .answered(let head, let source):
            "\(source) answered \(head.status): \(Self.fields(of: head))"
        case .redirected(let status, let source, let target):
            "\(source) redirects to \(target) (\(status))"
        case .redirectedInsecurely(let origin, let next):
            "\(origin) redirects from https to \(next), which is allowed"
        case .expired(let status, let target, let source):
            "\(target) answered \(status); asking \(source) for another location"
        case .asksAgain(let status, let source, let withRange):
            "\(source) answered \(status); asking again \(withRange ? "for all bytes" : "without a range")"
        case .busy(let origin, let status, let seconds, let advice, _):
            "\(origin) is busy (\(status))"
                + (seconds.map { " and requests a delay of \(Int($0)) seconds" } ?? "")
                + Self.remedy(advice, ifLong: seconds)
        case .quotaExhausted(let host, let seconds, let advice):
            "\(host) accepts no further requests for \(Int(seconds.rounded(.up))) s (RateLimit); waiting"
                + Self.remedy(advice, ifLong: seconds)
        case .unsigned(let reason):
            "No access keys: \(reason). Requests are not signed"
        case .silent(let silence, let origin, let source, let patience, let delay):
            "\(source): \(Self.clause(silence, at: origin)); "
                + (delay.map(Self.repeats) ?? Self.waits(silence.awaited, patience))
        case .outage(let error, let source, let seconds):
            "\(source.origin): \(TransferFailure.network(error).clause(for: source)); trying again for \(Self.seconds(seconds))"
        case .reachedAgain(let origin, let seconds):
            "\(origin) responds again after \(Self.seconds(seconds))"
        case .retries(let failure, let source, let seconds, let count, _):
            "\(source): \(failure.clause(for: source)); " + Self.retry(after: seconds, count)
        case .connectionDropped(let failure, let source):
            "\(source): \(failure.clause(for: source)); continuing without this connection"
        case .connectionReplaced(let source):
            "\(source): a connection is silent or much slower than others; replacing it"
        case .connectionMoved(let source):
            "\(source): closing a connection early, because another source is faster"
        case .asksForWhole(let failure, let source):
            "\(source): \(failure.clause(for: source)); asking for the whole file"
        case .becomesStream(let failure, let source):
            "\(source): \(failure.clause(for: source)); starting over with one connection"
        case .rangesStarve(let source):
            "\(source): \(SlowConnectionPolicy.mostStarvedStarts) connections in a row received only a few bytes; starting over with one connection"
        case .sourcePassedOver(let failure, let source):
            "\(source): \(failure.clause(for: source)); other sources take over"
        case .sourceDropped(let failure, let source):
            "Dropping the source \(source): \(failure.clause(for: source))"
        case .sourceDiffers(let what, let source):
            "Dropping the source \(source): it has a different file (\(what) differs)"
        case .sourceOfOtherDate(let source):
            "\(source) reports a different date for its file. Only samples show that it is the same; a digest (checksums, --checksum) would prove it"
        case .firstSourceFailed(let message, let source):
            "\(source) cannot be used: \(message)"
        case .escapesName(let name, let accepted):
            "The file system refuses the name '\(Printable.text(name))'; the file is stored as '\(accepted)'"
        case .namedAsState(let name, let given):
            "The name '\(Printable.text(name))' has the suffix of a state file; the file is stored as '\(given)'"
        case .lacks(let feature, let directory):
            feature.notice(in: directory)
        case .heldBack(let bottleneck, let name):
            "\(name): not faster, because: \(bottleneck.pastDescription.lowercasedFirst)"
        }
    }

    private static func remedy(_ advice: String?, ifLong seconds: Double?) -> String {
        guard let advice, let seconds, seconds >= longWaitSeconds else { return "" }
        return "; " + advice
    }

    private static func clause(_ silence: SilenceWatch.Silence, at origin: Origin) -> String {
        let peer = silence.proxy.map { "the proxy \($0)" } ?? origin.description
        let time = "\(Int(silence.seconds)) s"
        return switch silence.awaited {
        case .connection: "no connection to \(peer) for \(time)"
        case .answer: "\(peer) accepted the connection but has not responded for \(time)"
        case .bytes: "no data from \(peer) for \(time)"
        }
    }

    private static func waits(_ awaited: SilenceWatch.Awaited, _ patience: SilenceWatch.Patience) -> String {
        guard let seconds = patience.seconds(for: awaited) else { return "waiting" }
        let limit = Int(seconds.rounded(.up))
        // A log is read by users of the command, and of programs with other settings.
        return switch patience.setting(for: awaited) {
        case .connectTimeout: "waiting until \(limit) s (connectTimeout, --connect-timeout)"
        case .firstByteTimeout: "waiting until \(limit) s (firstByteTimeout, --first-byte-timeout)"
        default: "waiting until \(limit) s (lowSpeedTime, --low-speed-time)"
        }
    }

    private static func repeats(after seconds: Double) -> String {
        "trying another connection" + (seconds > 0 ? " in \(Self.seconds(seconds))" : "")
    }

    private static func retry(after seconds: Double, _ count: RetryState.Count?) -> String {
        let wait = seconds > 0 ? "trying again in \(Self.seconds(seconds))" : "trying again"
        guard let count else { return wait }
        return wait + (count.most == .max ? " (\(count.number))" : " (\(count.number) of \(count.most))")
    }

    /// Returns seconds with one decimal place if less than ten, and otherwise without.
    static func seconds(_ seconds: Double) -> String {
        let tenths = Int((seconds * 10).rounded())
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10) s" : "\((tenths + 5) / 10) s"
    }

    // MARK: Heads

    /// Fields whose entire value is secret.
    private static let secretFields: Set<String> = [
        "set-cookie", "authentication-info", "proxy-authentication-info",
    ]

    /// Fields with URLs, whose queries may contain signatures.
    private static let fieldsWithURLs: Set<String> = ["location", "content-location", "link", "refresh"]

    private static func fields(of head: ResponseHead) -> String {
        head.allFields.map { "\(Printable.text($0.name)): \(shown($0))" }.joined(separator: "; ")
    }

    private static func shown(_ field: HTTPHeader) -> String {
        if secretFields.contains(field.name) { return "…" }
        let text = Printable.text(field.value)
        guard fieldsWithURLs.contains(field.name), let mark = text.firstIndex(of: "?") else { return text }
        return text[..<mark] + "?…"
    }
}

extension TransferFailure {
    /// True if it lasted for a whole timeout, so that each attempt is worth reporting.
    fileprivate var isOfPatience: Bool {
        guard case .network(let error) = self else { return false }
        return error.kind == .timeout
    }

    /// True if the connection attempt itself failed.
    fileprivate var isOfConnecting: Bool {
        guard case .network(let error) = self else { return false }
        return [.resolve, .refused, .connect, .timeout].contains(error.kind)
    }
}

extension Logger {
    /// Logs an event at its level.
    func tell(_ event: TransferEvent) {
        log(level: event.level, "\(event.text)")
    }
}
