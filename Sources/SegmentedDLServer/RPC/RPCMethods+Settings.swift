internal import SegmentedDL
internal import SegmentedDLOptions
internal import SegmentedDLQueue
internal import SystemPackage

extension RPCMethods {
    static let settings: [String: Method] = [
        "aria2.getOption": { service, parameters in
            let receipt = try await service.downloads.find(parameters.text(0))
            return await service.options(of: receipt)
        },
        "aria2.changeOption": { service, parameters in
            let receipt = try await service.downloads.find(parameters.text(0))
            try await service.downloads.change(receipt, try service.options(parameters.options(1)))
            return "OK"
        },
        "aria2.getGlobalOption": { service, _ in await service.globalOptions() },
        "aria2.changeGlobalOption": { service, parameters in
            try await service.changeGlobalOptions(try parameters.options(0))
            return "OK"
        },
        "aria2.getVersion": { service, _ in
            // Clients interpret the number as aria2's version, and choose their calls accordingly.
            ["version": "1.36.0", "enabledFeatures": ["GZip", "HTTPS", "Message Digest", "Metalink"]]
        },
        "aria2.getSessionInfo": { service, _ in ["sessionId": .string(service.session)] },
        // The queue is stored with each change.
        "aria2.saveSession": { _, _ in "OK" },
        "aria2.shutdown": { service, _ in
            service.settings.shutDown()
            return "OK"
        },
        "aria2.forceShutdown": { service, _ in
            service.settings.shutDown()
            return "OK"
        },
    ]
}

extension RPCService {
    /// The options of a download in the form that front-ends send back to add it again.
    fileprivate func options(of receipt: Receipt) async -> JSONValue {
        var values = await shownOptions().filter { Aria2Options.named[$0.key]?.call?.isOfDownload ?? false }
        for (name, value) in await downloads.options(of: receipt) {
            values[name] = .string(value.joined(separator: "\n"))
        }
        if let directory = receipt.destination.directory { values["dir"] = .string(directory.string) }
        if let name = receipt.destination.file?.lastComponent { values["out"] = .string(name.string) }
        if let checksum = receipt.checksums.first {
            values["checksum"] = .string("\(checksum.algorithm.aria2Name)=\(checksum.hexadecimal)")
        }
        return .object(values)
    }

    /// The defaults, and changes to them.
    private var globalOptionValues: [String: JSONValue] {
        var values: [String: JSONValue] = [:]
        for option in Aria2Options.all {
            guard let call = option.call, call.isGlobal else { continue }
            values[option.name] = (settings.fixed[option.name] ?? call.usual).map { .string($0) }
        }
        for (name, value) in downloads.usualOptions { values[name] = .string(value.joined(separator: "\n")) }
        values["dir"] = values["dir"] ?? .string(downloads.fence.directories[0].string)
        return values
    }

    fileprivate func globalOptions() async -> JSONValue {
        var values = await shownOptions()
        values["http-passwd"] = nil
        return .object(values)
    }

    /// The options of a download that was added without any.
    func shownOptions() async -> [String: JSONValue] {
        let limits = await downloads.manager.limits
        var values = globalOptionValues
        values["user-agent"] = values["user-agent"] ?? .string(settings.userAgent)
        values["max-concurrent-downloads"] = .digits(Int64(limits.activeFiles.fixed ?? 4))
        values["max-overall-download-limit"] = .digits(limits.rate ?? 0)
        values["max-overall-upload-limit"] = "0"
        values["max-connection-per-server"] =
            values["max-connection-per-server"] ?? .digits(Int64(min(16, limits.connectionsPerHost)))
        values["split"] =
            values["split"] ?? .digits(Int64(min(limits.connections, limits.connectionsPerHost)))
        return values
    }

    fileprivate func changeGlobalOptions(_ members: [String: JSONValue]) async throws {
        var limits = await downloads.manager.limits
        let before = limits
        if let text = members["max-concurrent-downloads"]?.text {
            guard let count = Int(text), count >= 1 else { throw Self.senseless("max-concurrent-downloads") }
            limits.activeFiles = .fixed(count)
        }
        if let text = members["max-overall-download-limit"]?.text {
            guard let bytes = ByteSize.aria2(text)?.bytes else {
                throw Self.senseless("max-overall-download-limit")
            }
            limits.rate = bytes == 0 ? nil : bytes
        }
        let options = try options(members).filter { Aria2Options.named[$0.key]?.call?.isGlobal ?? false }
        if !options.isEmpty { try await downloads.setUsual(options) }
        if limits != before { try await downloads.manager.setLimits(limits) }
    }

    private static func senseless(_ name: String) -> RPCFailure {
        RPCFailure("We encountered a problem while processing the option '--\(name)'.")
    }
}

extension Downloads {
    /// The options of a download, from its client or derived from its request.
    fileprivate func options(of receipt: Receipt) async -> [String: [String]] {
        await options(of: receipt, await store.attachment(of: GID(of: receipt)))
    }

    private func options(of receipt: Receipt, _ attachment: RecordAttachment) async -> [String: [String]] {
        guard attachment.access != nil || attachment.options.isEmpty,
            var request = await manager.request(of: receipt.id)
        else { return attachment.options }
        request.headers = attachment.authorization.headers
        request.credentials = attachment.authorization.credentials
        return Aria2Values(of: request).given.merging(attachment.options) { _, own in own }
    }

    /// Changes options of a download that has not ended.
    func change(_ receipt: Receipt, _ options: [String: [String]]) async throws {
        guard !receipt.state.isFinal else {
            throw RPCFailure("Cannot change option for GID#\(GID(of: receipt))")
        }
        let gid = GID(of: receipt)
        let before = await store.attachment(of: gid)
        var attachment = before
        attachment.options = await self.options(of: receipt, before)
        attachment.access = nil
        attachment.options.merge(options.filter { $0.key != "gid" && $0.key != "pause" }) { _, new in new }
        attachment.fillReferer(from: receipt.source)
        guard !options.isEmpty, attachment != before else { return }
        let hasOtherDigest = attachment.options["checksum"] != before.options["checksum"]
        let isMoved = options["dir"] != nil || options["out"] != nil
        let place =
            isMoved
            ? try await place(
                attachment.value("dir") ?? receipt.destination.directory?.string,
                attachment.value("out") ?? receipt.destination.file?.lastComponent?.string)
            : receipt.destination
        let (values, authorization) = (attachment.values, attachment.authorization)
        let segments = await allowed(values.segments(of: [receipt.source] + receipt.mirrors))
        let isReauthorized = authorization != before.authorization
        try await store.save(attachment, of: gid)
        do {
            try await manager.change(receipt.id, isReauthorized: isReauthorized) {
                (entry) throws(DownloadError) in
                if isMoved { entry.request.destination = place }
                if options["split"] != nil || options["max-connection-per-server"] != nil {
                    entry.request.segments = segments ?? entry.request.segments
                }
                try values.change(&entry.request, Set(options.keys))
                if hasOtherDigest { entry.request.checksumOrigin = nil }
                guard isReauthorized else { return }
                entry.request.headers = authorization.headers
                entry.request.credentials = authorization.credentials
            }
        } catch {
            try? await store.save(before, of: gid)
            throw error
        }
    }
}

extension Aria2Values {
    /// Applies the named options to the settings of a request, except its destination and connections.
    fileprivate func change(_ request: inout DownloadRequest, _ names: Set<String>) throws(DownloadError) {
        if names.contains("checksum") { request.checksums = try checksums() }
        if names.contains("max-download-limit") { request.rate = limit("max-download-limit") }
        if !Self.namesOfExisting.isDisjoint(with: names) { request.ifExists = ifExists }
        if names.contains("remove-control-file") || names.contains("allow-overwrite") {
            request.startsOver = startsOver
        }
        if names.contains("max-tries") || names.contains("retry-wait") { request.tries = tries }
        if names.contains("continue") { request.takesOver = takesOver }
        if names.contains("remote-time") { request.keepsRemoteDate = keepsRemoteDate }
        if names.contains("stream-piece-selector") { request.order = order }
    }
}

extension Checksum.Algorithm {
    /// aria2's name: `sha-256` for `sha256`.
    fileprivate var aria2Name: String {
        rawValue.hasPrefix("sha") ? "sha-\(rawValue.dropFirst(3))" : rawValue
    }
}
