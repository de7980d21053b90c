/// Continuations to resume once the lane table is up to date. Not `Sendable`: it is confined to the engine's
/// thread.
///
/// A resumed caller may send its next request immediately, from another thread. If it were resumed from
/// libcurl's callback, the table would still count its first request as active. The next request would then
/// not find the idle connection, might be assigned to another lane, and would open a second connection, which
/// exceeds the host's cap.
final class ContinuationQueue {
    private enum Entry {
        case open(TransferPhase.Opening, Result<OpenedResponse, any Error>)
        case receive(CheckedContinuation<TransferReport, Never>, TransferReport)
    }

    private var entries: [Entry] = []

    func add(_ opening: @escaping TransferPhase.Opening, _ result: Result<OpenedResponse, any Error>) {
        entries.append(.open(opening, result))
    }

    func add(_ receiving: CheckedContinuation<TransferReport, Never>, _ report: TransferReport) {
        entries.append(.receive(receiving, report))
    }

    /// Resumes all continuations, in order.
    func resumeAll() {
        guard !entries.isEmpty else { return }
        for entry in entries {
            switch entry {
            case .open(let opening, let result): opening(result)
            case .receive(let continuation, let report): continuation.resume(returning: report)
            }
        }
        entries.removeAll(keepingCapacity: true)
    }
}
