internal import DequeModule
internal import Logging
import SegmentedDLSupport

// Requests and responses, on the engine's threads.
extension FastPath {
    /// True if other files or connections are waiting for their turn.
    var othersWait: Bool {
        scheduler.waitingCount > state.withLock { $0.unserved }
    }

    /// True if requests of a higher priority are waiting, such as those for listings.
    var mustYield: Bool { scheduler.prioritiesWait }

    /// - Parameters:
    ///   - endsIdle: True to close the connection if no file is waiting.
    ///   - isBehind: See `FastPathSource`.
    func next(_ host: String, endsIdle: Bool, isBehind: Bool) -> FastPathNext {
        // The ordinary download of a file that has left may have been refused because of a limit of the host.
        if state.withLock({ $0.hosts[host]?.others ?? 0 > 0 }), scheduler.isRestricted(host) {
            close(host)
        }
        let (next, isIdle) = state.withLock { state -> (FastPathNext, Bool) in
            guard !state.isCancelled, !state.closed.contains(host) else { return (.close, false) }
            if isBehind {
                guard let known = state.hosts[host], known.isPipelined,
                    known.pending.first?.isVouchedFor ?? false
                else { return (.wait, false) }
            }
            if state.hasRoom, let file = state.hosts[host]?.pending.popFirst() {
                state.sent[file.id] = file
                return (.send(file.toSend), false)
            }
            if state.isFinishing { return (.close, false) }
            state.isIdle = true
            return (.wait, state.hosts[host]?.pending.isEmpty ?? true)
        }
        return isIdle && (endsIdle || othersWait) ? .close : next
    }

    /// - Returns: The refusal of a host that limits its requests.
    func answered(_ id: Int, _ answer: FastPathAnswer, from host: String) -> ResponseVerdict? {
        guard let file = state.withLock({ $0.sent[id] }) else { return nil }
        var refusal: ResponseVerdict?
        var isRestricted = false
        var plain: FastPathStore.Item?
        switch answer {
        case .complete(let head, let body, let opened, let wasAlone):
            // A proxy may reorder responses.
            if !wasAlone, head["via"] != nil { pipelinesNoMore(host) }
            configuration.logger.tell(.answered(head, from: file.request.source))
            let verdict = PlainAnswer.verdict(head, body: body, to: file.request, now: WallClock.seconds())
            switch verdict {
            case .plain(let answer):
                plain = .init(file: file, answer: answer, opened: opened, wasAlone: wasAlone)
            case .restricted(let verdict):
                isRestricted = true
                noteQuota(head, of: file, at: host)
                // It may be the response to another request.
                if wasAlone { refusal = verdict }
            case .other: break
            }
        case .otherwise(let head, let text, let wasAlone):
            configuration.logger.tell(.answered(head, from: file.request.source))
            isRestricted = noteQuota(head, of: file, at: host)
            let verdict = PlainAnswer.meaning(
                of: head, refusalText: text, to: file.request, now: WallClock.seconds())
            if verdict.isBusy {
                isRestricted = true
                if wasAlone { refusal = verdict }
            }
        case .notAnswered:
            let isAgain = state.withLock { state -> Bool in
                guard !state.isCancelled, !state.closed.contains(host),
                    state.sent.removeValue(forKey: id) != nil
                else { return false }
                state.hosts[host]?.pending.prepend(file)
                return true
            }
            if isAgain { return nil }
        case .malformed, .lost:
            // The response may belong to another request, if there was another one.
            if file.isVouchedFor { pipelinesNoMore(host) }
        }
        if let plain {
            let isStored = state.withLock { state in
                // It may have been withdrawn, or its run cancelled, in the meantime.
                guard state.sent.removeValue(forKey: id) != nil else { return false }
                state.storing += 1
                state.hosts[host]?.plain += 1
                // In the same step, so that a withdrawal finds it.
                if plain.awaitsChoice { state.undecided.append(plain) }
                return true
            }
            if isStored { storeOrDecide(plain) }
            return nil
        }
        let (leaving, isUseless) = state.withLock { state -> ([FastPathFile], Bool) in
            // A cancelled download ends as cancelled.
            if state.isCancelled { return ([], false) }
            guard state.sent.removeValue(forKey: id) != nil else { return ([], false) }
            state.hosts[host]?.others += 1
            guard state.hosts[host]?.isUseless ?? false else { return ([file], false) }
            state.hosts[host]?.beginAgain()
            return ([file] + state.takePending(of: host), true)
        }
        if isUseless { answered.note(host, isShort: false) }
        leave(leaving)
        if isRestricted { close(host) }
        return refusal
    }

    /// Reports the request rate limit that a host announces, which the ordinary downloads of its files obey.
    ///
    /// - Returns: False if it announces none.
    @discardableResult
    private func noteQuota(_ head: ResponseHead, of file: FastPathFile, at host: String) -> Bool {
        guard let quota = RequestQuota(head, now: WallClock.seconds()) else { return false }
        scheduler.told(quota, at: .init(host: host, group: file.request.source.quotaGroup))
        return true
    }

    /// Disables pipelining for a host, including for ordinary downloads.
    func pipelinesNoMore(_ host: String) {
        let wasPipelined = state.withLock { state in
            defer { state.hosts[host]?.isPipelined = false }
            return state.hosts[host]?.isPipelined ?? false
        }
        if wasPipelined { scheduler.sharesNoMore(host) }
    }
}
