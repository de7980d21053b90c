internal import SegmentedDL
internal import SystemPackage

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The checks before a download begins: the caller's check, and the check of disk space.
extension DownloadManager {
    /// The interval in seconds at which a download that waits for disk space is checked again.
    private static let spaceSeconds = 30.0

    static func spaceHold(_ message: String) -> Receipt.Hold {
        Receipt.Hold(.space, message: message, until: Date().addingTimeInterval(spaceSeconds))
    }

    /// Rechecks the downloads that wait for something other than a free slot (``Receipt/hold``), for example
    /// because the network has changed.
    ///
    /// - Parameter selection: The downloads; others among them are unaffected.
    /// - Throws: `DownloadError`: `notFound` if a selected one does not exist, or a disk error.
    public func reconsider(_ selection: Selection = .all) async throws {
        try checkIsOpen()
        release(try queue.ids(selection))
    }

    /// Rechecks downloads that may be on hold, many at a time.
    func release(_ ids: [Receipt.ID]) {
        for start in stride(from: 0, to: ids.count, by: Self.batch) {
            apply(queue.release(Array(ids[start..<min(start + Self.batch, ids.count)])))
        }
        reschedule()
    }

    /// Returns the reason why a download cannot begin now; `nil` if it can.
    func hold(of id: Receipt.ID) async throws -> Receipt.Hold? {
        guard queue.asksFirst else { return nil }
        guard let record = queue.records[id] else { throw CancellationError() }
        var hold = await holdForSpace(of: record)
        if hold == nil { hold = try await callersHold(of: record) }
        if hold != nil { spaceClaims[id] = nil }
        try Task.checkCancellation()
        return hold
    }

    private func callersHold(of record: QueueRecord) async throws -> Receipt.Hold? {
        guard let mayStart = configuration.mayStart else { return nil }
        let gate = try await asking("Could not decide whether to start \(record.source)", record) {
            try await mayStart(Receipt(record), self)
        }
        guard case .wait(let duration, let message) = gate.answer else { return nil }
        return Receipt.Hold(
            .gate, message: message, until: duration.map { Date().addingTimeInterval($0.seconds) })
    }

    // MARK: Disk space

    private func holdForSpace(of record: QueueRecord) async -> Receipt.Hold? {
        guard let reserve = configuration.reservedSpace else { return nil }
        let need = Self.need(of: record)
        let place = place(of: record)
        guard let disk = await DiskThread.run({ Disk(of: place) }) else { return nil }
        // Runs that have allocated their disk space are no longer in this sum.
        let others = spaceClaims.filter { $0.key != record.id }.values.reduce(0, +)
        guard disk.lack(of: Int128(need) + Int128(others) + Int128(reserve)) > 0 else {
            spaceClaims[record.id] = need
            return nil
        }
        return Self.spaceHold(
            "'\(place)' has \(disk.free) bytes free; \(Self.demand(need, others: others, reserve: reserve)).")
    }

    private static func demand(_ need: Int64, others: Int64, reserve: Int64) -> String {
        var clauses = ["\(need) are needed"]
        if others > 0 { clauses.append("other downloads are about to use \(others)") }
        if reserve > 0 { clauses.append("\(reserve) must remain free") }
        guard clauses.count > 1 else { return clauses[0] }
        return clauses.dropLast().joined(separator: ", ") + ", and " + clauses[clauses.count - 1]
    }

    /// Returns the bytes that a download will need on its disk, if its length is known: 0 if it has a part
    /// file, for which they are already allocated.
    private static func need(of record: QueueRecord) -> Int64 {
        record.part == nil ? record.bytesTotal ?? 0 : 0
    }

    /// Returns the bytes that a download still has to allocate. A part file without enough space was not
    /// allocated completely.
    private func missing(for record: QueueRecord) -> Int64 {
        guard record.part != nil, queue.holds[record.id]?.reason == .space, let total = record.bytesTotal
        else { return Self.need(of: record) }
        return max(0, total - record.bytesCompleted)
    }

    private func place(of record: QueueRecord) -> FilePath {
        configuration.downloads.incompleteDirectory ?? record.destination.directory ?? "/"
    }

    /// Returns the number of bytes missing on the disks for all incomplete downloads, with
    /// ``ManagerConfiguration/reservedSpace`` left free; 0 if all fit. Unknown lengths are not counted:
    /// obtain them with `Downloader.inspect(_:)` or `DownloadRequest.expectedLength`.
    ///
    /// - Throws: `DownloadError`: `notFound` if a selected one does not exist.
    public func missingSpace(for selection: Selection = .all) async throws -> Int64 {
        var needs: [FilePath: Int128] = [:]
        queue.records.forEach(try queue.ids(selection)) { record in
            guard !record.state.isFinal else { return }
            needs[place(of: record), default: 0] += Int128(missing(for: record))
        }
        let places = needs
        let reserve = Int128(configuration.reservedSpace ?? 0)
        return await DiskThread.run {
            var disks: [UInt64: (disk: Disk, need: Int128)] = [:]
            for (place, need) in places {
                guard let disk = Disk(of: place) else { continue }
                disks[disk.device, default: (disk, reserve)].need += need
            }
            return Int64(clamping: disks.values.reduce(0) { $0 + $1.disk.lack(of: $1.need) })
        }
    }
}

/// The file system of a path, which need not exist yet.
private struct Disk: Sendable {
    let device: UInt64
    let free: UInt64

    /// Returns `nil` if the system does not report it. Blocks.
    init?(of place: FilePath) {
        var place = place
        while true {
            if let status = try? SystemCalls.statusFollowingLinks(place),
                let system = try? SystemCalls.fileSystem(of: place)
            {
                (device, free) = (status.device, system.free)
                return
            }
            guard place.lastComponent != nil else { return nil }
            place = place.directory
        }
    }

    func lack(of need: Int128) -> Int128 { max(0, need - Int128(free)) }
}
