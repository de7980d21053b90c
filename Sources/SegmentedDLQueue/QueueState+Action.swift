import SegmentedDL

extension QueueState {
    enum Action: Equatable, Sendable {
        /// Starts the download, or the closures that decide whether it joins a batch.
        case begin(ID, run: Int)
        /// Fetches small files together. The numbers of their runs are consecutive.
        case beginBatch([ID], firstRun: Int)
        /// Ends the download's run with a checkpoint; the caller then calls `ended`.
        case stop(ID)
        /// Stores the changed record.
        case save(ID)
        /// Removes the record from the store and, if requested, its files from disk.
        indirect case erase(QueueRecord, withFiles: Bool)
        case added(ID)
        /// It waits for something other than a free slot.
        case held(ID)
        case changed(ID, from: DownloadState, to: DownloadState)
        /// Its receipt changed, but its state did not.
        case updated(ID)
        /// Downloads have other positions.
        case reordered

        /// True if the action reports a change of a state.
        var reports: Bool {
            if case .changed = self { true } else { false }
        }

        /// True if the action starts downloads.
        var begins: Bool {
            switch self {
            case .begin, .beginBatch: true
            default: false
            }
        }
    }
}
