internal import SegmentedDL

/// The downloads of a selection.
extension QueueState {
    /// Returns the numbers of the selected downloads.
    ///
    /// - Throws: `DownloadError` with code `notFound` if a selected number, key, URL or position does not
    ///   exist.
    func ids(_ selection: Selection) throws(DownloadError) -> [ID] {
        switch selection {
        case .id(let id):
            guard records.contains(id) else { throw Self.notFound("number \(id)") }
            return [id]
        case .ids(let ids):
            for id in ids where !records.contains(id) { throw Self.notFound("number \(id)") }
            var seen: Set<ID> = []
            return ids.filter { seen.insert($0).inserted }
        case .key(let key):
            guard let found = record(.key(key)) else { throw Self.notFound("key '\(key)'") }
            return [found.id]
        case .url(let text):
            let source = try Source(named: text)
            let found = records.ids(from: source.identity)
            guard !found.isEmpty else { throw Self.notFound("URL '\(source)'") }
            return found
        case .position(let position):
            guard position >= 0, position < records.count else { throw Self.notFound("position \(position)") }
            return [records.ids[position]]
        case .state(let state):
            return records.ids(in: state)
        case .all:
            return records.ids
        }
    }

    static func notFound(_ what: String) -> DownloadError {
        DownloadError(.notFound, "The queue has no download of \(what); list its downloads.")
    }
}
