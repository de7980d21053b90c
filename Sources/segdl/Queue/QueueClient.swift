import SegmentedDL
internal import SegmentedDLMirror
internal import SegmentedDLQueue
import SegmentedDLSupport
import SystemPackage

/// Gives instructions to a queue, whoever has it open.
struct QueueClient: Sendable {
    /// How long somebody who has the queue open may leave an instruction lying.
    private static let patience = Duration.seconds(5)
    private static let interval = Duration.milliseconds(20)

    let store: FilePath

    /// Carries instructions out one after the other: here if nobody has the queue open, else by who has.
    ///
    /// - Parameters:
    ///   - instructions: They are asked for as they are needed.
    ///   - answered: Called with the answer to each, before the next one is sent.
    /// - Throws: `DownloadError`; `locked` if a program that takes no instructions has the queue open.
    func send(_ instructions: some Sequence<Instruction>, answered: (Answer) -> Void) async throws {
        var rest = instructions.makeIterator()
        var next = rest.next()
        var began = ContinuousClock.now
        while let instruction = next {
            if case .limit = instruction, !DownloadManager.isOpen(storeAt: store) {
                throw DownloadError(
                    .invalidSetting,
                    "Nothing runs that could be limited; give the caps to segdl queue start.")
            }
            do {
                try await withManager { manager in
                    while let instruction = next {
                        try Task.checkCancellation()
                        answered(await instruction.carryOut(on: manager))
                        next = rest.next()
                    }
                }
            } catch let error as DownloadError where error.code == .locked {
                if let answer = try await there(instruction) {
                    answered(answer)
                    next = rest.next()
                    began = .now
                } else if ContinuousClock.now - began >= Self.patience {
                    throw DownloadError(
                        .locked,
                        "The queue '\(store)' is open in a process that does not answer: it is stopped, or another program. Let it go on, or end it.",
                        isRetryable: true, cause: error)
                }
            }
        }
    }

    private func withManager(_ body: (DownloadManager) async throws -> Void) async throws {
        var configuration = ManagerConfiguration(store: store)
        configuration.runsDownloads = false
        // What may be too much is for whoever runs them to say.
        configuration.downloads.limits.connections = 100_000
        configuration.downloads.limits.connectionsPerHost = 100_000
        try await DownloadManager.withManager(configuration, body)
    }

    /// - Returns: `nil` if nobody wants to carry it out.
    func there(_ instruction: Instruction, patience: Duration = Self.patience) async throws -> Answer? {
        let box = try ControlBox(for: store)
        let id = try await box.post(instruction)
        let began = ContinuousClock.now
        while true {
            switch try await box.reply(to: id) {
            case .answered(let answer): return answer
            case .taken where !DownloadManager.isOpen(storeAt: store):
                // Its last word may have come in between.
                if case .answered(let answer) = try await box.reply(to: id) { return answer }
                throw DownloadError(
                    .locked,
                    "The process that has the queue '\(store)' open ended before it answered; look at the list."
                )
            case .taken: break
            case .gone: return nil
            case .waiting:
                let isHopeless =
                    !DownloadManager.isOpen(storeAt: store)
                    || ContinuousClock.now - began >= patience
                if isHopeless, try await box.withdraw(id) { return nil }
            }
            do {
                try await Task.sleep(for: Self.interval)
            } catch {
                _ = try await box.withdraw(id)
                throw error
            }
        }
    }
}

/// Carries out what commands post, for as long as the queue is open here.
final class ControlServer: Sendable {
    private static let interval = Duration.milliseconds(50)

    let box: ControlBox
    let manager: DownloadManager
    let messages: MessageLog
    private let isStopping = Lock(false)

    init(box: ControlBox, manager: DownloadManager, messages: MessageLog) {
        self.box = box
        self.manager = manager
        self.messages = messages
    }

    /// Makes `run` return once what it carries out is answered.
    func stop() {
        isStopping.withLock { $0 = true }
    }

    func run() async {
        while !isStopping.withLock({ $0 }) {
            do {
                while let (id, instruction) = try await box.take() {
                    try await box.answer(id, await instruction.carryOut(on: manager))
                }
            } catch {
                messages.add("A command from another terminal could not be read: \(error)")
            }
            try? await Task.sleep(for: Self.interval)
        }
    }
}
