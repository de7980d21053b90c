internal import SegmentedDL
internal import SegmentedDLQueue
internal import SystemPackage

extension Interface {
    func status() async -> JSONValue {
        let progress = await downloads.manager.progress
        let limits = await downloads.manager.limits
        let running = await mirrors.running
        return [
            "version": .string(settings.version), "session": .string(session), "started": .number(started),
            "directory": .string(downloads.fence.directories[0].string),
            "directories": .array(downloads.fence.directories.map { .string($0.string) }),
            "limits": Self.value(limits),
            "counts": .object(
                Dictionary(
                    uniqueKeysWithValues: progress.counts.map { ($0.key.rawValue, .integer(Int64($0.value))) }
                )),
            "downloads": .integer(Int64(progress.downloads)),
            "bytesCompleted": .integer(progress.bytesCompleted),
            "bytesTotal": .integer(progress.bytesTotal),
            "unknownLengths": .integer(Int64(progress.unknownLengths)),
            "bytesPerSecond": .number(
                running.reduce(progress.bytesPerSecond) { $0 + ($1.run?.bytesPerSecond ?? 0) }.rounded()),
            "connections": .integer(
                Int64(running.reduce(progress.connections) { $0 + ($1.run?.connections ?? 0) })),
            "mirrors": .array(running.map(\.value)),
            "secondsRemaining": .optional(progress.secondsRemaining) { .number($0.rounded()) },
        ]
    }

    static func value(_ limits: Limits) -> JSONValue {
        [
            "activeFiles": .optional(limits.activeFiles.fixed) { .integer(Int64($0)) },
            "connections": .integer(Int64(limits.connections)),
            "connectionsPerHost": .integer(Int64(limits.connectionsPerHost)),
            "bytesPerSecond": .optional(limits.rate) { .integer($0) },
        ]
    }

    func list(_ query: InterfaceQuery) async -> JSONValue {
        let found = query.select(from: await downloads.manager.receipts)
        var offset = query.offset
        if let gid = query.around.flatMap({ GID($0) }), let wanted = await downloads.manager.receipt(gid) {
            offset = query.offset(of: wanted.id, in: found)
        }
        let page = Array(found.dropFirst(offset).prefix(query.limit))
        return [
            "total": .integer(Int64(found.count)), "offset": .integer(Int64(offset)),
            "downloads": .array(await values(page)),
        ]
    }

    func values(_ receipts: [Receipt]) async -> [JSONValue] {
        let transfers = await downloads.manager.activeTransfers
        return receipts.map { DownloadView(receipt: $0, progress: transfers[$0.id]).value }
    }

    func details(_ id: String) async throws(InterfaceError) -> JSONValue {
        let receipt = try await find(id)
        let progress = await downloads.manager.activeTransfers[receipt.id]
        let ranges: [ByteRange]
        if let progress {
            ranges = progress.completedRanges
        } else {
            ranges = await downloads.rangesOnDisk(receipt)
        }
        let view = DownloadView(receipt: receipt, progress: progress)
        let origin = await downloads.manager.request(of: receipt.id)?.checksumOrigin
        return view.details(ranges, checksumFrom: origin?.rawValue ?? "request")
    }

    func find(_ id: String) async throws(InterfaceError) -> Receipt {
        guard let gid = GID(id), let receipt = await downloads.manager.receipt(gid) else {
            throw InterfaceError(
                404, "notFound", "There is no download '\(Printable.text(id))'; it may have been removed.")
        }
        return receipt
    }

    /// The status, and the running downloads with their segments.
    func liveStatus() async -> JSONValue {
        let transfers = await downloads.manager.activeTransfers
        let active = await downloads.manager.activeReceipts.map { receipt in
            let progress = transfers[receipt.id]
            return DownloadView(receipt: receipt, progress: progress)
                .details(progress?.completedRanges ?? [])
        }
        guard case .object(var members) = await status() else { return .null }
        members["active"] = .array(active)
        return .object(members)
    }

    /// The metrics in Prometheus' text format.
    func metrics() async -> String {
        let progress = await downloads.manager.progress
        var lines = [
            "# HELP segdl_downloads Downloads of the queue by state.", "# TYPE segdl_downloads gauge",
        ]
        for state in DownloadState.allCases {
            lines.append("segdl_downloads{state=\"\(state.rawValue)\"} \(progress.counts[state, default: 0])")
        }
        lines += ["# HELP segdl_mirrors Mirrors by state.", "# TYPE segdl_mirrors gauge"]
        let all = await mirrors.all
        for state in MirrorState.allCases {
            let count = all.count { $0.state == state }
            lines.append("segdl_mirrors{state=\"\(state.rawValue)\"} \(count)")
        }
        lines += [
            "# HELP segdl_mirror_files Files of the last run of all mirrors, by outcome.",
            "# TYPE segdl_mirror_files gauge",
        ]
        let files: [(String, (MirrorTally) -> Int)] = [
            ("new", \.new), ("changed", \.changed), ("kept", \.kept), ("removed", \.removed),
            ("failed", \.failed),
        ]
        for (kind, count) in files {
            lines.append("segdl_mirror_files{change=\"\(kind)\"} \(all.reduce(0) { $0 + count($1.tally) })")
        }
        let gauges: [(name: String, help: String, value: Double)] = [
            (
                "bytes_per_second", "Bytes per second over all downloads and mirrors.",
                all.reduce(progress.bytesPerSecond) { $0 + ($1.run?.bytesPerSecond ?? 0) }
            ),
            (
                "connections", "Active connections.",
                Double(all.reduce(progress.connections) { $0 + ($1.run?.connections ?? 0) })
            ),
            ("bytes_completed", "Bytes on disk over all downloads.", Double(progress.bytesCompleted)),
            (
                "bytes_total", "Sum of the lengths; if a length is unknown, the bytes on disk.",
                Double(progress.bytesTotal)
            ),
            ("start_time_seconds", "Start time of the daemon in seconds since 1970.", started),
        ]
        for gauge in gauges {
            lines += [
                "# HELP segdl_\(gauge.name) \(gauge.help)", "# TYPE segdl_\(gauge.name) gauge",
                "segdl_\(gauge.name) \(gauge.value)",
            ]
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
