/// The request quotas of one host, by name.
///
/// A hub counts the requests to its API and those for files separately. A named quota applies to the groups
/// of requests (`Source.quotaGroup`) whose last response named it, and one without a name to all others. All
/// quotas that a response names apply at once, such as one of a minute and one of an hour. The
/// first request of a group whose quota is unknown delays the others until its response names the quota, or
/// for a few seconds.
struct HostQuotas: Equatable, Sendable {
    private var accounts: [String: QuotaAccount] = [:]
    /// The names of the quotas for each group.
    private var names: [String: [String]] = [:]
    /// The groups with an unknown quota that have a request without a response, and the times until which it
    /// delays others.
    private var asking: [String: Double] = [:]

    /// The maximum number of groups of an API that are distinguished. A host may have a path for each file;
    /// each would otherwise be a group whose quota is unknown, and so exceed it.
    private static let mostGroups = 16
    /// The group of all further ones.
    private static let furtherGroup = "api/"

    var isEmpty: Bool { accounts.isEmpty }

    /// The least number of requests that any of them still allows; `nil` if none applies now.
    func left(now: Double) -> Int? { accounts.values.compactMap { $0.left(now: now) }.min() }

    /// Returns the names of the quotas for a group; the empty one for that without a name.
    func names(of group: String) -> [String] { names[known(group)] ?? [""] }

    private func known(_ group: String) -> String {
        group.isEmpty || names[group] != nil || names.count < Self.mostGroups ? group : Self.furtherGroup
    }

    /// Returns the accounts that apply to a group.
    func accounts(of group: String) -> [QuotaAccount] {
        accounts.isEmpty ? [] : names(of: group).compactMap { accounts[$0] }
    }

    /// Returns true if the host counts down the quota of a name.
    func isCounted(_ name: String) -> Bool { accounts[name]?.isCounted ?? false }

    /// Returns the time until which no request of a group may be sent; 0 if one may.
    ///
    /// - Parameter needsProof: True for the request of a file over its open connection, which a quota delays
    ///   only if the host has stated a number above 0 before: some hosts always state 0, and such a file
    ///   would get one part in each window.
    func pausedUntil(of group: String, needsProof: Bool = false) -> Double {
        let awaitsName = isUnknown(group) ? asking[known(group)] : nil
        return accounts(of: group).filter { $0.isCounted || !needsProof }.compactMap(\.exhaustedUntil)
            .reduce(awaitsName ?? 0, max)
    }

    /// The end of the windows whose quota the host has stated to be exhausted for a group; 0 for none.
    func statedUntil(of group: String) -> Double {
        accounts(of: group).compactMap(\.statedUntil).reduce(0, max)
    }

    private func isUnknown(_ group: String) -> Bool {
        !accounts.isEmpty && names[known(group)] == nil && accounts[""] == nil
    }

    /// Records that a request is about to be sent.
    mutating func sends(_ group: String, now: Double) {
        guard !accounts.isEmpty else { return }
        if isUnknown(group), asking[known(group)] == nil {
            asking[known(group)] = now + QuotaAccount.assumedSeconds
        }
        for name in names(of: group) { accounts[name]?.sends(now: now) }
    }

    /// Records a request that does not count: it was not sent, or its response states no quota.
    mutating func uncounted(_ group: String) {
        asking[known(group)] = nil
        for name in names(of: group) { accounts[name]?.uncounted() }
    }

    /// Records a response that states no usable quota.
    mutating func toldNothing(_ group: String, name: String? = nil) {
        guard !accounts.isEmpty else { return }
        uncounted(group)
        names[known(group)] = name.map { [$0] } ?? names(of: group)
    }

    /// Records that a request ended without a response, although the host may have counted it.
    mutating func endsUnanswered(_ group: String, now: Double) {
        asking[known(group)] = nil
        for name in names(of: group) { accounts[name]?.endsUnanswered(now: now) }
    }

    /// Records what a response states.
    ///
    /// - Parameters:
    ///   - said: The quotas that it states, with different names.
    ///   - sentAt: The earliest time at which its request was sent; `nil` if unknown.
    ///   - others: Returns the number of other requests of the quota with a name that have no response; `nil`
    ///     if it is unchanged in this window.
    mutating func told(
        _ said: [RequestQuota], _ group: String, sentAt: Double?, now: Double,
        unanswered others: (String) -> Int?
    ) {
        asking[known(group)] = nil
        for name in names(of: group) where !said.contains(where: { $0.name == name }) {
            accounts[name]?.uncounted()
        }
        names[known(group)] = said.map(\.name)
        for quota in said {
            let others = others(quota.name)
            if accounts[quota.name] == nil {
                if accounts.count >= Self.mostGroups { forgetUnused() }
                accounts[quota.name] = QuotaAccount(quota, unanswered: others ?? 0, now: now)
            } else {
                accounts[quota.name]?.told(quota, unanswered: others, sentAt: sentAt, now: now)
            }
        }
    }

    /// Removes the quotas that apply to no group any longer: a host may use a name only once.
    private mutating func forgetUnused() {
        let used = Set(names.values.joined())
        accounts = accounts.filter { $0.key.isEmpty || used.contains($0.key) }
    }

    /// Returns the seconds until an exhausted quota is renewed, once for each window; otherwise `nil`.
    mutating func takeDelay(_ group: String, now: Double) -> Double? {
        var longest: Double?
        for name in names(of: group) {
            guard let delay = accounts[name]?.takeDelay(now: now) else { continue }
            longest = max(longest ?? 0, delay)
        }
        return longest
    }
}
