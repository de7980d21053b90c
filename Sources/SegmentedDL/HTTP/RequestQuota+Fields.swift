/// The fields in which hosts state their limits: `RateLimit` and `RateLimit-Policy` as in the drafts of the
/// HTTPAPI working group (draft-ietf-httpapi-ratelimit-headers, versions 00 to 10), and the older
/// `X-RateLimit-*`, which have no specification. The size of a window may follow a number, as in `8;w=3`.
///
/// Several policies may apply at once; each has its own window. Quotas in another unit than requests (`qu`)
/// count no requests, but one of bytes that is exhausted pauses them.
extension RequestQuota {
    /// Reads the strictest limit of a response, with the others; `nil` if it states none with an end.
    ///
    /// - Parameter now: Seconds since 1970, for a head without a Date: times refer to the server's clock.
    init?(_ head: ResponseHead, now: Int64) {
        let date = head["date"].flatMap(HTTPDate.seconds) ?? now
        let found =
            Self.members(head) + [Self.oneField(head)].compactMap(\.self)
            + Self.prefixes.compactMap { Self.separate($0, head, date: date) }
        let name = Self.name(head)
        let named = (found.isEmpty ? Self.ownPolicies(head) : found).map { quota in
            var quota = quota
            if quota.name.isEmpty { quota.name = name }
            return quota
        }
        // If quotas are exhausted, the one that is reset last; otherwise the one with the fewest requests
        // left.
        let sorted = named.sorted { ($0.left, -$0.resetSeconds) < ($1.left, -$1.resetSeconds) }
        guard let strictest = sorted.first else { return nil }
        self = strictest
        others = sorted.dropFirst().reduce(into: []) { others, quota in
            guard others.count < Self.mostOthers, quota.name != strictest.name else { return }
            if !others.contains(where: { $0.name == quota.name }) { others.append(quota) }
        }
    }

    /// The maximum number of quotas besides the strictest one. Each costs time for every request, and a head
    /// has room for thousands.
    private static let mostOthers = 7

    /// Returns true if a response that refuses its request does so because of a quota: it states a wait or an
    /// exhausted quota.
    ///
    /// - Parameter now: Seconds since 1970.
    static func refuses(_ head: ResponseHead, now: Int64) -> Bool {
        if let wait = head["retry-after"], RetryAfter.seconds(wait, now: now) != nil { return true }
        if let quota = RequestQuota(head, now: now) { return quota.isExhausted }
        return prefixes.contains { prefix in head["\(prefix)-remaining"].flatMap(number) == 0 }
    }

    /// Larger numbers are points in time, not durations in seconds.
    private static let longest = 1e9
    /// Larger points in time are in milliseconds.
    private static let latest = 1e11

    /// The pause for an exhausted quota whose end is unreadable.
    private static let unreadableSeconds = 5.0

    private static let prefixes = ["ratelimit", "x-ratelimit", "x-rate-limit"]

    /// Returns the names of the quotas in a head, because the strictest one may change; empty for none.
    private static func name(_ head: ResponseHead) -> String {
        let fields = head["ratelimit"] == nil ? head.values("ratelimit-policy") : head.values("ratelimit")
        let names = fields.flatMap(list).map(ownName).filter { !$0.isEmpty }
        let name = names.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }.joined(
            separator: ",")
        return name.isEmpty ? head["x-ratelimit-resource"] ?? head["ratelimit-name"] ?? "" : name
    }

    /// Returns the name of a member; empty if it is a number of requests.
    private static func ownName(_ member: Member) -> String { number(member.name) == nil ? member.name : "" }

    /// A unit that is not one of requests (section 2.1.2 of version 10).
    private enum OtherUnit {
        /// A size: once exhausted, no request is answered.
        case size
        /// Requests at the same time, which have no window.
        case concurrent
    }

    private static func otherUnit(_ member: Member) -> OtherUnit? {
        switch member.parameters["qu"]?.lowercased().filter({ $0 != "\"" }) {
        case nil, "", "requests": nil
        case "concurrent-requests": .concurrent
        default: .size
        }
    }

    /// Reads `"name";r=REMAINING;t=SECONDS, …`; if the time is missing, the window of the policy is used,
    /// which is the maximum.
    private static func members(_ head: ResponseHead) -> [RequestQuota] {
        let policies = policies(head)
        let windows = Dictionary(policies.map { ($0.name, $0.seconds) }) { $1 }
        let units = Dictionary(
            head.values("ratelimit-policy").flatMap(list).compactMap { member in
                otherUnit(member).map { (member.name, $0) }
            }
        ) { $1 }
        return head.values("ratelimit").flatMap(list).compactMap { member in
            guard let left = member.parameters["r"].flatMap(number) else { return nil }
            switch otherUnit(member) ?? units[member.name] {
            case .concurrent: return nil
            case .size where left > 0: return nil
            default: break
            }
            let stated = member.parameters["t"]
            let isUnreadable = left == 0 && stated.map { number($0) == nil } ?? false
            guard
                let reset = stated.flatMap(number) ?? windows[member.name]
                    ?? (isUnreadable ? unreadableSeconds : nil)
            else { return nil }
            let isOfOne = policies.contains { $0.name == member.name && $0.requests == 1 }
            let isRounded = stated.map(isWhole) ?? false
            return RequestQuota(
                left: count(left), resetSeconds: reset, isRounded: isRounded, isOfOne: isOfOne,
                name: ownName(member))
        }
    }

    /// Reads `"name";q=REQUESTS;w=SECONDS, …` or `REQUESTS;w=SECONDS, …`.
    private static func policies(
        _ head: ResponseHead
    ) -> [(name: String, requests: Double?, seconds: Double)] {
        head.values("ratelimit-policy").flatMap(list).compactMap { member in
            guard let seconds = member.parameters["w"].flatMap(number) else { return nil }
            return (member.name, number(member.parameters["q"] ?? member.name), seconds)
        }
    }

    /// Reads the policies of a head that states no number of remaining requests.
    private static func ownPolicies(_ head: ResponseHead) -> [RequestQuota] {
        guard head["ratelimit"] == nil, prefixes.allSatisfy({ head["\($0)-remaining"] == nil }) else {
            return []
        }
        let usable = head.values("ratelimit-policy").flatMap(list).compactMap { member -> RequestQuota? in
            guard otherUnit(member) == nil, let seconds = member.parameters["w"].flatMap(number),
                let requests = number(member.parameters["q"] ?? member.name), requests >= 1, seconds > 0,
                seconds <= QuotaAccount.maximumSeconds
            else { return nil }
            return RequestQuota(
                left: count(requests) - 1, resetSeconds: seconds, isOfOne: requests == 1, isPolicy: true,
                name: ownName(member))
        }
        // Without names, the lengths of the windows distinguish them.
        guard usable.count > 1 else { return usable }
        return usable.map { policy in
            var policy = policy
            if policy.name.isEmpty { policy.name = "w=\(Int(policy.resetSeconds))" }
            return policy
        }
    }

    /// Reads `limit=100, remaining=50, reset=5`, the format of drafts before the seventh.
    private static func oneField(_ head: ResponseHead) -> RequestQuota? {
        let pairs = head.values("ratelimit").flatMap { $0.split(separator: ",") }.compactMap(pair)
        let named = Dictionary(pairs) { first, _ in first }
        guard let left = named["remaining"].flatMap(number), let text = named["reset"],
            let reset = number(text)
        else { return nil }
        return RequestQuota(left: count(left), resetSeconds: reset, isRounded: isWhole(text))
    }

    /// Reads separate fields: `…-Remaining` with `…-Reset`, which is a number of seconds, a time in seconds
    /// or milliseconds since 1970, or a date; or with `…-Reset-After`, always a number of seconds. Without an
    /// end, the window that follows a number is used (`…-Remaining: 0;w=3`).
    private static func separate(_ prefix: String, _ head: ResponseHead, date: Int64) -> RequestQuota? {
        guard let remaining = head["\(prefix)-remaining"].flatMap({ list($0).first }),
            let left = number(remaining.name)
        else { return nil }
        let limits = head["\(prefix)-limit"].map(list) ?? []
        let isOfOne = limits.contains { number($0.name) == 1 }
        func quota(_ seconds: Double, isRounded: Bool = false) -> RequestQuota {
            // A window whose end is past has ended, regardless of rounding.
            RequestQuota(
                left: count(left), resetSeconds: max(0, seconds), isRounded: isRounded && seconds >= 0,
                isOfOne: isOfOne)
        }
        if let text = head["\(prefix)-reset-after"], let after = number(text) {
            return quota(after, isRounded: isWhole(text))
        }
        if let text = head["\(prefix)-reset"] {
            let reset =
                number(text).map { seconds(in: $0, date: date) }
                ?? (HTTPDate.internetSeconds(text) ?? HTTPDate.seconds(text)).map { Double($0 - date) }
            return reset.map { quota($0, isRounded: $0 == $0.rounded(.down)) }
                ?? (left == 0 ? quota(unreadableSeconds) : nil)
        }
        // The end of a longer window is unknown: it may be near.
        let window = (remaining.parameters["w"] ?? limits.first?.parameters["w"]).flatMap(number)
        return window.flatMap { $0 <= QuotaAccount.maximumSeconds ? quota($0) : nil }
    }

    private static func seconds(in value: Double, date: Int64) -> Double {
        if value < longest { return value }
        return (value < latest ? value : value / 1000) - Double(date)
    }

    private static func isWhole(_ text: String) -> Bool { number(text) != nil && !text.contains(".") }

    private static func count(_ left: Double) -> Int { Int(min(left, 1e9)) }

    /// Returns a non-negative number.
    private static func number(_ text: String) -> Double? {
        let text = trimmed(text[...])
        guard !text.isEmpty, text.utf8.count < 20,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") })
        else { return nil }
        return Double(text)
    }

    private typealias Member = (name: String, parameters: [String: String])

    private static func list(_ value: String) -> [Member] {
        value.split(separator: ",").map { member in
            let parts = member.split(separator: ";")
            // In an early format the kind of the window comes first: `"fixed window";"api";q=500;w=300`.
            let names = parts.map(trimmed).filter { $0.hasPrefix("\"") || !$0.contains("=") }
            return (names.last ?? "", Dictionary(parts.compactMap(pair)) { first, _ in first })
        }
    }

    private static func pair(_ text: Substring) -> (String, String)? {
        let parts = text.split(separator: "=", maxSplits: 1)
        return parts.count == 2 ? (trimmed(parts[0]).lowercased(), trimmed(parts[1])) : nil
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop { $0 == " " || $0 == "\t" }
        return String(start.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
