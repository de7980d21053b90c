import SegmentedDL
import SegmentedDLQueue
import SegmentedDLSupport
import SystemPackage

/// Stores caps that are changed while a queue is running in a file next to it, and restores them at the next
/// start.
///
/// They are not stored in the queue's database, because versions without this feature must be able to open
/// it.
final class CapKeeper: Sendable {
    /// The call options that are caps.
    private static let optionNames: Set<String> = [
        "max-connection-per-server", "max-download-limit", "split",
    ]

    private let path: FilePath
    private let messages: MessageLog
    /// The settings of the run, with the restored caps.
    private let restored: Configuration
    /// The line about restored caps; `nil` if none were restored.
    private let notice: String?
    private let kept: Lock<KeptCaps>
    /// The caps in the file.
    private let stored: Lock<KeptCaps>

    /// The options of an earlier run that limit downloads added by calls.
    var options: [String: [String]] { kept.withLock { $0.options } }

    /// Reads the caps that were set during an earlier run of the configuration's queue.
    init(for configuration: ManagerConfiguration, messages: MessageLog) async {
        let path = FilePath(configuration.store.string + ".caps")
        let earlier = await DiskThread.run { Self.earlier(at: path) }
        let start = configuration.downloads.limits
        var caps = KeptCaps(of: start)
        var restored = configuration.downloads
        if let earlier {
            caps.options = earlier.options
            restored.limits = earlier.caps(for: start)
            if (try? restored.validate()) == nil { restored.limits = start }
        }
        caps.changed = QueueCommand.LimitChange(restored.limits)
        let changes = Self.changes(from: start, to: restored.limits).joined(separator: ", ")
        notice =
            changes.isEmpty
            ? nil
            : "caps that were changed in an earlier run apply again: \(changes); "
                + "segdl queue limit changes them."
        self.path = path
        self.messages = messages
        self.restored = restored
        // Without a change, nothing has to be stored.
        stored = Lock(earlier ?? caps)
        kept = Lock(caps)
    }

    /// Restores the caps, and stores those changed during the run.
    func apply(to configuration: inout ManagerConfiguration) {
        configuration.downloads = restored
        // Before the queue is opened, another process may be running it and may have changed its caps.
        configuration.opened = { [self] in
            if let notice { messages.add(notice) }
            await store()
        }
        configuration.limitsChanged = { [self] limits in
            kept.withLock { $0.changed = QueueCommand.LimitChange(limits) }
            await store()
        }
    }

    /// Stores the caps among the options for all calls.
    func keep(_ options: [String: [String]]) async {
        kept.withLock { $0.options = options.filter { Self.optionNames.contains($0.key) } }
        await store()
    }

    private static func earlier(at path: FilePath) -> KeptCaps? {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path.string)) else { return nil }
        return try? JSONDecoder().decode(KeptCaps.self, from: data)
    }

    private static func changes(from start: Limits, to limits: Limits) -> [String] {
        zip(QueueLimit.lines(limits), QueueLimit.lines(start)).filter { $0.0 != $0.1 }.map(\.0)
    }

    private func store() async {
        await DiskThread.run { [self] in
            // The last of several calls stores the newest caps.
            stored.withLock { stored in
                let caps = kept.withLock { $0 }
                guard caps != stored else { return }
                do {
                    let file = try ListFile(path, isPrivate: true)
                    try file.add(Array(JSONEncoder().encode(caps)))
                    try file.finish()
                    stored = caps
                } catch {
                    messages.add("The caps apply to this run only, because they cannot be stored: \(error)")
                }
            }
        }
    }
}
