import SegmentedDL
import SegmentedDLQueue
import SegmentedDLSupport
import SystemPackage

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stores the caps that are changed while a queue runs in a file beside it, and restores them at its next
/// start.
///
/// The queue's database has no place for them: a version that does not know them must be able to open it.
final class CapKeeper: Sendable {
    /// The options of calls that are caps.
    private static let optionNames: Set<String> = [
        "max-connection-per-server", "max-download-limit", "split",
    ]

    private let path: FilePath
    private let messages: MessageLog
    private let kept: Lock<KeptCaps>

    /// The options of an earlier run that cap the downloads of calls.
    var options: [String: [String]] { kept.withLock { $0.options } }

    /// Restores the caps of an earlier run, and keeps those that the run of the configuration changes. It
    /// blocks on the disk.
    init(_ configuration: inout ManagerConfiguration, messages: MessageLog) {
        path = FilePath(configuration.store.string + ".caps")
        self.messages = messages
        var caps = KeptCaps(of: configuration.downloads.limits)
        let earlier = Self.earlier(at: path)
        kept = Lock(earlier ?? caps)
        if let earlier {
            var restored = configuration.downloads
            restored.limits = earlier.caps(for: restored.limits)
            if (try? restored.validate()) != nil {
                let changes = Self.changes(from: configuration.downloads.limits, to: restored.limits)
                if !changes.isEmpty {
                    messages.add(
                        "caps that were changed in an earlier run hold again: \(changes.joined(separator: ", ")); segdl queue limit changes them."
                    )
                }
                configuration.downloads.limits = restored.limits
                caps.changed = QueueCommand.LimitChange(restored.limits)
            }
            caps.options = earlier.options
        }
        // A cap that this start gave another value is forgotten.
        change { $0 = caps }
        configuration.limitsChanged = { [self] limits in
            change { $0.changed = QueueCommand.LimitChange(limits) }
        }
    }

    /// Stores the caps among the options that count for all calls.
    func keep(_ options: [String: [String]]) async {
        await DiskThread.run { [self] in
            change { $0.options = options.filter { Self.optionNames.contains($0.key) } }
        }
    }

    private static func earlier(at path: FilePath) -> KeptCaps? {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path.string)) else { return nil }
        return try? JSONDecoder().decode(KeptCaps.self, from: data)
    }

    private static func changes(from start: Limits, to limits: Limits) -> [String] {
        zip(QueueLimit.lines(limits), QueueLimit.lines(start)).filter { $0.0 != $0.1 }.map(\.0)
    }

    private func change(_ body: (inout KeptCaps) -> Void) {
        // Two that come at once must not be stored in another order.
        kept.withLock { kept in
            let before = kept
            body(&kept)
            guard kept != before else { return }
            do {
                let file = try ListFile(path, isPrivate: true)
                try file.add(Array(JSONEncoder().encode(kept)))
                try file.finish()
            } catch {
                messages.add("The caps hold in this run only, because they cannot be stored: \(error)")
            }
        }
    }
}
