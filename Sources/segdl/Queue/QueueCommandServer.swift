import SegmentedDL
import SegmentedDLQueue
import SegmentedDLSupport

/// The loop that runs the commands in a queue's mailbox while this process has the queue open.
final class QueueCommandServer: Sendable {
    private static let interval = Duration.milliseconds(50)

    private let mailbox: QueueMailbox
    private let manager: DownloadManager
    private let messages: MessageLog
    private let isStopping = Lock(false)

    init(mailbox: QueueMailbox, manager: DownloadManager, messages: MessageLog) {
        self.mailbox = mailbox
        self.manager = manager
        self.messages = messages
    }

    /// Makes `run` return after its reply to the command that it runs.
    func stop() {
        isStopping.withLock { $0 = true }
    }

    func run() async {
        while !isStopping.withLock({ $0 }) {
            do {
                while let (id, command) = try await mailbox.take() {
                    try await mailbox.reply(await command.run(on: manager), to: id)
                }
            } catch {
                messages.add("A command from another terminal could not be read: \(error)")
            }
            try? await Task.sleep(for: Self.interval)
        }
    }
}
