internal import DequeModule
import SegmentedDLSupport
internal import SystemPackage

/// Thrown by a closure that chooses a path, to make its download leave the fast path.
package struct LeavesFastPath: Error {
    package init() {}
}

// The paths that callers choose once the server has responded.
extension FastPath {
    private enum Choice: Sendable {
        case path(FilePath?)
        case failed(any Error)
        case withdrawn
        /// The run was cancelled.
        case cancelled
    }

    /// Stores a file, or has the caller choose its path first.
    func storeOrDecide(_ item: FastPathStore.Item) {
        if item.awaitsChoice { change.yield() } else { save(item) }
    }

    func nextUndecided() -> FastPathStore.Item? {
        state.withLock { state -> FastPathStore.Item? in
            guard !state.isCancelled, let item = state.undecided.popFirst() else { return nil }
            state.withdrawals[item.file.id] = AsyncEvent()
            return item
        }
    }

    func withdrawUndecided(_ ids: Set<Int>) {
        let (items, begun) = state.withLock { state -> ([FastPathStore.Item], [AsyncEvent]) in
            guard !state.undecided.isEmpty || !state.withdrawals.isEmpty else { return ([], []) }
            let items = state.undecided.filter { ids.contains($0.file.id) }
            state.undecided.removeAll { ids.contains($0.file.id) }
            return (Array(items), ids.compactMap { state.withdrawals[$0] })
        }
        end(items.map { ($0, .leaves) })
        for withdrawal in begun { withdrawal.send() }
    }

    /// Calls the closure, and stores the file, or ends it.
    func choosePath(for item: FastPathStore.Item) async {
        var item = item
        let choice = await choice(for: item)
        switch choice {
        case _ where Task.isCancelled, .cancelled: end([(item, .failed(CancellationError()))])
        case .path(let path):
            item.chosen = path
            save(item)
        case .failed(let error): end([(item, error is LeavesFastPath ? .leaves : .failed(error))])
        case .withdrawn: end([(item, .leaves)])
        }
        state.withLock { $0.withdrawals[item.file.id] = nil }
    }

    /// Returns the closure's choice, or `withdrawn` after the cancelled closure has returned.
    private func choice(for item: FastPathStore.Item) async -> Choice {
        let withdrawal = state.withLock { $0.withdrawals[item.file.id] }
        guard let choose = item.file.task.hooks.choosePath, let withdrawal else { return .cancelled }
        return await withTaskGroup(of: Choice.self) { group in
            group.addTask {
                do {
                    return .path(try await choose(item.response))
                } catch {
                    return .failed(error)
                }
            }
            group.addTask { await withdrawal.wait() ? .withdrawn : .cancelled }
            let first = await group.next()
            group.cancelAll()
            await group.waitForAll()
            return first ?? .cancelled
        }
    }

    private func save(_ item: FastPathStore.Item) {
        store.withLock { $0 }?.add(item)
    }
}
