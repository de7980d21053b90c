internal import SegmentedDL

/// The loop around the work of each run, which refreshes the display and ends the work on a signal.
struct RunLoop<Output: ProgressRenderer>: Sendable {
    let display: Display<Output>
    /// The signals that cancel the work.
    var signals = Signals.ending
    /// The source of the run's current state, for each refresh of the display.
    let snapshot: @Sendable () async -> RunSnapshot
    /// Returns when the state may differ from the last snapshot.
    var changed: @Sendable () async -> Void = {}

    /// - Parameters:
    ///   - work: The work, in a task that the first signal cancels.
    ///   - cleanUp: Runs after the work; not cancelled by signals.
    ///   - end: Shows the end of the run.
    /// - Returns: The result of the work, and the exit status for a signal.
    func run<Value: Sendable>(
        _ work: @escaping @Sendable () async -> Value, cleanUp: () async -> Void = {},
        end: @escaping @Sendable (inout Output, Value) -> Void
    ) async -> (value: Value, exitStatus: Int32?) {
        // In parallel with the work, because a stopped terminal must not stop downloads, and files that are
        // cancelled by a signal must still be shown.
        await withTaskGroup(of: Void.self) { flushes in
            flushes.addTask {
                for await _ in display.signals { await display.flush() }
            }
            return await withTaskGroup(of: Void.self) { updates in
                updates.addTask { await update() }
                return await Signals.cancelling(work, on: signals) { value in
                    updates.cancelAll()
                    await cleanUp()
                    display.finish()
                    await flushes.waitForAll()
                    await updates.waitForAll()
                    await display.end { end(&$0, value) }
                }
            }
        }
    }

    /// Refreshes the display until the task is cancelled.
    private func update() async {
        while (try? await Task.sleep(for: .refreshInterval)) != nil {
            await display.flush()
            await display.update(await snapshot())
            await changed()
        }
    }
}

extension Duration {
    /// The refresh interval of a display.
    static let refreshInterval = Duration.milliseconds(200)
}
