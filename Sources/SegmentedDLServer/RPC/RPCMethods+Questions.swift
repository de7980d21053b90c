internal import SegmentedDL
internal import SegmentedDLQueue

extension RPCMethods {
    static let questions: [String: Method] = [
        "aria2.tellStatus": { service, parameters in
            let receipt = try await service.downloads.find(parameters.text(0))
            return await service.statuses([receipt], try parameters.keys(1))[0]
        },
        "aria2.tellActive": { service, parameters in
            let receipts = await service.downloads.manager.activeReceipts
            return .array(await service.statuses(receipts, try parameters.keys(0)))
        },
        "aria2.tellWaiting": { service, parameters in
            let (offset, count) = (try parameters.integer(0), try parameters.count(1))
            // Front-ends poll a page of a list that may have 10,000 downloads.
            let page = RPCPage.of(await service.downloads.waiting(), offset: offset, count: count)
            let receipts = await service.downloads.manager.receipts(of: page)
            return .array(await service.statuses(receipts, try parameters.keys(2)))
        },
        "aria2.tellStopped": { service, parameters in
            let (offset, count) = (try parameters.integer(0), try parameters.count(1))
            let page = RPCPage.of(await service.stopped(), offset: offset, count: count)
            return .array(await service.statuses(page, try parameters.keys(2)))
        },
        "aria2.getUris": { service, parameters in
            let receipt = try await service.downloads.find(parameters.text(0))
            guard !receipt.state.isFinal else {
                throw RPCFailure("No URI data is available for GID#\(GID(of: receipt))")
            }
            return RPCStatus(receipt: receipt, ranges: []).uris
        },
        "aria2.getFiles": { service, parameters in
            let receipt = try await service.downloads.find(parameters.text(0))
            return RPCStatus(receipt: receipt, ranges: []).files
        },
        "aria2.getPeers": { service, parameters in
            let receipt = try await service.downloads.find(parameters.text(0))
            guard !receipt.state.isFinal else {
                throw RPCFailure("No peer data is available for GID#\(GID(of: receipt))")
            }
            return []
        },
        "aria2.getServers": { service, parameters in
            let receipt = try await service.downloads.find(parameters.text(0))
            guard RPCStatus.name(receipt.state) == "active" else {
                throw RPCFailure("No active download for GID#\(GID(of: receipt))")
            }
            let targets = await service.downloads.manager.activeTransfers[receipt.id]?.targets
            return RPCStatus(receipt: receipt, ranges: []).servers(at: targets?.first)
        },
        "aria2.getGlobalStat": { service, _ in
            let progress = await service.downloads.manager.progress
            func count(_ name: String) -> JSONValue {
                .digits(
                    Int64(progress.counts.reduce(0) { $0 + (RPCStatus.name($1.key) == name ? $1.value : 0) }))
            }
            let waiting = [DownloadState.queued, .retrying, .paused].reduce(0) {
                $0 + progress.counts[$1, default: 0]
            }
            let stopped = DownloadState.allCases.filter(\.isFinal)
                .reduce(0) { $0 + progress.counts[$1, default: 0] }
            return [
                "downloadSpeed": .digits(Int64(progress.bytesPerSecond)), "uploadSpeed": "0",
                "numActive": count("active"), "numWaiting": .digits(Int64(waiting)),
                "numStopped": .digits(Int64(stopped)), "numStoppedTotal": .digits(Int64(stopped)),
            ]
        },
    ]
}

/// The part of a list requested by a caller.
enum RPCPage {
    /// - Parameter offset: The offset, from 0; a negative one counts from the end and reverses the order
    ///   (aria2's manual, tellWaiting).
    static func of<Element>(_ list: [Element], offset: Int, count: Int) -> [Element] {
        guard offset < 0 else { return Array(list.dropFirst(offset).prefix(count)) }
        let (last, isFar) = list.count.addingReportingOverflow(offset)
        guard !isFar, last >= 0 else { return [] }
        return Array(list[...last].reversed().prefix(count))
    }
}

extension RPCService {
    /// The ended downloads, the earliest first.
    func stopped() async -> [Receipt] {
        let manager = downloads.manager
        let ended = Set(DownloadState.allCases.filter(\.isFinal))
        return await manager.receipts(of: manager.ids(in: ended))
            .sorted { ($0.ended ?? $0.added, $0.id) < ($1.ended ?? $1.added, $1.id) }
    }

    /// Returns downloads in aria2's terms.
    func statuses(_ receipts: [Receipt], _ keys: Set<String>?) async -> [JSONValue] {
        guard keys?.contains("bitfield") ?? true else {
            return receipts.map { RPCStatus(receipt: $0, ranges: []).value(keys) }
        }
        let transfers = await downloads.manager.activeTransfers
        var values: [JSONValue] = []
        for receipt in receipts {
            let ranges: [ByteRange]
            if let transfer = transfers[receipt.id] {
                ranges = transfer.completedRanges
            } else {
                ranges = await downloads.rangesOnDisk(receipt)
            }
            values.append(RPCStatus(receipt: receipt, ranges: ranges).value(keys))
        }
        return values
    }
}

extension Downloads {
    /// The bytes of an inactive download.
    func rangesOnDisk(_ receipt: Receipt) async -> [ByteRange] {
        guard let total = receipt.bytesTotal, receipt.bytesCompleted > 0 else { return [] }
        if receipt.state == .completed { return [0..<total] }
        guard let path = receipt.claimedPath else { return [] }
        let manifest = DownloadPaths(path, in: incompleteDirectory).manifest
        let info = try? await DiskThread.run { try ManifestInfo(path: manifest) }
        return info?.trustedRanges ?? []
    }
}
