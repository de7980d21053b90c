/// The connections that files must return, because another file has none, or a cap was lowered.
extension SchedulerState {
    /// Reclaims connections from files with several, one for each file without any.
    mutating func reclaimConnections(now: Double) -> [Action] {
        guard !waiting.isEmpty else { return [] }
        var actions: [Action] = []
        var promised = files.owed
        let needy = waiting.compactMap { connections[$0] }.filter { files[$0.owner ?? $0.file]?.held == 0 }
        for connection in needy.sorted(by: { $0.file < $1.file }) {
            if isPaused(connection, now: now) || refusals[connection.host]?.isTrying ?? false { continue }
            guard needsConnection(connection) else { continue }
            if promised > 0 {
                promised -= 1
                continue
            }
            let isHostFull = room(at: connection.place, now: now) < 1
            let donors = files.all.filter { id, file in
                file.held - file.owed > 1 && (!isHostFull || holds(id, host: connection.host))
            }
            guard let donor = donors.max(by: { spare($0) < spare($1) }) else { continue }
            files[donor.key]?.owed += 1
            actions.append(.reclaim(donor.key))
        }
        return actions
    }

    /// Reclaims the connections that a smaller cap no longer allows.
    mutating func shedConnections() -> [Action] {
        let isPerHost = openPerHost.values.contains { $0 > limits.connectionsPerHost }
        guard isPerHost || openConnections > limits.connections else { return [] }
        var actions: [Action] = []
        while let donor = files.all.filter({ isOverCap($0.key) }).max(by: { spare($0) < spare($1) }) {
            files[donor.key]?.owed += 1
            actions.append(.reclaim(donor.key))
        }
        return actions
    }

    /// True if the file holds more connections than allowed, not counting the reclaimed ones.
    private func isOverCap(_ id: FileID) -> Bool {
        guard let file = files[id], file.held > file.owed else { return false }
        if openConnections - files.owed > limits.connections { return true }
        return openPerHost.contains { host, open in
            guard open > limits.connectionsPerHost, holds(id, host: host) else { return false }
            let owedHere = files.all.reduce(0) { $0 + (holds($1.key, host: host) ? $1.value.owed : 0) }
            return open - owedHere > limits.connectionsPerHost
        }
    }

    /// The files ordered by the number of connections that they could return, older ones first.
    private func spare(_ file: (key: FileID, value: File)) -> (Int, Int) {
        (file.value.held - file.value.owed, -file.key)
    }

    private func holds(_ file: FileID, host: String) -> Bool {
        connections.contains { $1.file == file && $1.host == host && !waiting.contains($0) }
    }
}
