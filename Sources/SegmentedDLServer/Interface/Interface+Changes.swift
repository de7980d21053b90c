internal import SegmentedDL
internal import SegmentedDLQueue

extension Interface {
    // MARK: Adding

    func add(_ body: [String: JSONValue]) async throws(InterfaceError) -> JSONValue {
        guard let entries = body["downloads"]?.elements else {
            throw InterfaceError.bad(
                "The body must contain 'downloads', a list of objects with at least 'url'.")
        }
        // If any entry of the body is malformed, nothing is added.
        let wanted = try entries.map { value throws(InterfaceError) in
            try Self.newDownload(value, downloads.usualRequest)
        }
        var results: [JSONValue] = []
        for download in wanted {
            do {
                let (receipt, isThere) = try await add(download.get())
                var result = ["download": await values([receipt])[0]]
                if isThere { result["isThere"] = .bool(true) }
                results.append(.object(result))
            } catch {
                let error = InterfaceError(error)
                results.append(["error": ["code": .string(error.code), "message": .string(error.message)]])
            }
        }
        return ["results": .array(results)]
    }

    // MARK: Verbs

    func act(_ body: [String: JSONValue]) async throws(InterfaceError) -> JSONValue {
        guard let name = body["action"]?.text, let action = Action(rawValue: name) else {
            let names = Action.allCases.map(\.rawValue).joined(separator: ", ")
            throw InterfaceError.bad("The body must contain 'action', one of \(names).")
        }
        let selection: Selection
        if body["ids"]?.text == "all" {
            selection = .all
        } else if let ids = body["ids"]?.elements {
            var found: [Receipt.ID] = []
            for id in ids { found.append(try await find(id.text ?? "").id) }
            selection = .ids(found)
        } else {
            throw InterfaceError.bad("The body must contain 'ids', a list, or 'all'.")
        }
        let withFiles = try body["withFiles"]?.flag(of: "withFiles") ?? false
        guard let before = (body["before"] ?? "").text else {
            throw InterfaceError.bad("'before' must be a string.")
        }
        do {
            let receipts = try await run(action, selection, withFiles: withFiles, before: before)
            return ["downloads": .array(await values(receipts))]
        } catch {
            throw InterfaceError(error)
        }
    }

    private enum Action: String, CaseIterable {
        case pause, resume, retry, cancel, restart, remove, front, back, before
    }

    private func run(
        _ action: Action, _ selection: Selection, withFiles: Bool, before: String
    ) async throws -> [Receipt] {
        let manager = downloads.manager
        switch action {
        case .pause: return try await manager.pause(selection)
        case .resume: return try await manager.resume(selection)
        case .retry: return try await manager.start(selection)
        case .cancel: return try await manager.cancel(selection)
        case .restart: return try await manager.restart(selection)
        case .remove:
            return try await downloads.remove(selection, withFiles: withFiles)
        case .front: try await manager.moveToFront(selection)
        case .back: try await manager.moveToBack(selection)
        case .before: try await manager.move(selection, before: try await find(before).id)
        }
        return try await manager.receipts(selection)
    }

    // MARK: Caps

    func changeLimits(_ body: [String: JSONValue]) async throws(InterfaceError) -> JSONValue {
        var limits = await downloads.manager.limits
        for (name, value) in body {
            switch name {
            case "activeFiles":
                limits.activeFiles = value == .null ? .automatic : .fixed(try Self.number(name, value))
            case "connections": limits.connections = try Self.number(name, value)
            case "connectionsPerHost": limits.connectionsPerHost = try Self.number(name, value)
            case "bytesPerSecond":
                limits.rate = value == .null ? nil : Int64(try Self.number(name, value))
            default: throw InterfaceError.bad("'\(Printable.text(name))' is not a limit.")
            }
        }
        do {
            try await downloads.manager.setLimits(limits)
        } catch {
            throw InterfaceError(error)
        }
        return ["limits": Self.value(limits)]
    }

    private static func number(_ name: String, _ value: JSONValue) throws(InterfaceError) -> Int {
        guard let number = value.whole, let number = Int(exactly: number) else {
            throw InterfaceError.bad("'\(name)' must be a whole number.")
        }
        return number
    }
}
