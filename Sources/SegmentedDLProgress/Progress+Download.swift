internal import Foundation

extension Progress {
    /// Returns the progress of a download that has not begun.
    static func ofFile() -> Progress {
        let progress = Progress(totalUnitCount: -1)
        progress.kind = .file
        progress.setUserInfoObject(Progress.FileOperationKind.downloading, forKey: .fileOperationKindKey)
        progress.isPausable = true
        progress.isCancellable = true
        return progress
    }

    /// Returns a handler that starts an asynchronous call. Errors are ignored.
    static func handler(_ call: @escaping @Sendable () async throws -> Void) -> @Sendable () -> Void {
        { Task { try? await call() } }
    }

    /// Updates the progress with each element until the stream ends or the progress is released.
    func follow<Element: Sendable>(
        _ elements: AsyncStream<Element>, _ show: @escaping @Sendable (Progress, Element) -> Void
    ) {
        Task { [weak self] in
            for await element in elements {
                guard let self else { return }
                show(self, element)
            }
            self?.end()
        }
    }

    /// Completes the share of a download that has failed or was cancelled: otherwise a parent would
    /// never be complete.
    func end() {
        guard !isFinished else { return }
        totalUnitCount = max(completedUnitCount, 1)
        completedUnitCount = totalUnitCount
    }

    /// Updates the figures of a download.
    func show(_ completed: Int64, of total: Int64?, speed: Double, secondsRemaining: Double?) {
        totalUnitCount = total ?? -1
        completedUnitCount = completed
        setUserInfoObject(Int(speed), forKey: .throughputKey)
        setUserInfoObject(secondsRemaining, forKey: .estimatedTimeRemainingKey)
    }
}
