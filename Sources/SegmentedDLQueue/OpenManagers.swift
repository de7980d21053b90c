public import SegmentedDL
import SegmentedDLSupport
public import SystemPackage

/// The open managers of this process by store path.
final class OpenManagers: Sendable {
    static let shared = OpenManagers()

    private struct Place: Sendable {
        weak var manager: DownloadManager?
    }

    private let places = Lock<[FilePath: Place]>([:])

    /// Adds a manager. Blocks on the disk.
    func add(_ manager: DownloadManager, at path: FilePath) {
        let path = SystemCalls.resolved(path)
        places.withLock { $0[path] = Place(manager: manager) }
    }

    func remove(_ manager: DownloadManager) {
        places.withLock { $0 = $0.filter { $0.value.manager.map { $0 !== manager } ?? false } }
    }

    /// Returns the manager of a store; `nil` if none is open. Blocks on the disk.
    func manager(at path: FilePath) -> DownloadManager? {
        let path = SystemCalls.resolved(path)
        return places.withLock { $0[path]?.manager }
    }
}

extension DownloadManager {
    /// Returns this process's manager of a queue; `nil` if there is none, or it was shut down.
    ///
    /// A manager without references keeps running while a download runs, or will begin at a known time
    /// (``Receipt/retriesAt``, ``Receipt/Hold/until``), and is returned until then. Blocks on the disk.
    public static func openManager(storeAt path: FilePath) -> DownloadManager? {
        OpenManagers.shared.manager(at: path)
    }
}
