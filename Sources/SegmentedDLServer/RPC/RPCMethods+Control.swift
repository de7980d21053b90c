internal import SegmentedDL
internal import SegmentedDLQueue

extension RPCMethods {
    static let control: [String: Method] = [
        "aria2.remove": remove, "aria2.forceRemove": remove,
        "aria2.pause": pause, "aria2.forcePause": pause,
        "aria2.unpause": { service, parameters in
            let receipt = try await service.downloads.find(parameters.text(0))
            guard receipt.state == .paused else {
                throw RPCFailure("GID#\(GID(of: receipt)) cannot be unpaused now")
            }
            try await service.downloads.manager.resume(.id(receipt.id))
            return .string(GID(of: receipt).description)
        },
        "aria2.pauseAll": pauseAll, "aria2.forcePauseAll": pauseAll,
        "aria2.unpauseAll": { service, _ in
            try await service.downloads.manager.resume(.all)
            return "OK"
        },
        "aria2.removeDownloadResult": { service, parameters in
            let receipt = try await service.downloads.find(parameters.text(0))
            guard receipt.state.isFinal else {
                throw RPCFailure("Could not remove download result of GID#\(GID(of: receipt))")
            }
            try await service.downloads.remove(.id(receipt.id))
            return "OK"
        },
        "aria2.purgeDownloadResult": { service, _ in
            for state in DownloadState.allCases where state.isFinal {
                try await service.downloads.remove(.state(state))
            }
            return "OK"
        },
        "aria2.changePosition": { service, parameters in
            let receipt = try await service.downloads.find(parameters.text(0))
            let (offset, how) = (try parameters.integer(1), try parameters.text(2))
            let waiting = await service.downloads.waiting()
            guard let place = waiting.firstIndex(of: receipt.id) else {
                throw RPCFailure("GID#\(GID(of: receipt)) not found in the waiting queue.")
            }
            let base: Int
            switch how {
            case "POS_SET": base = 0
            case "POS_CUR": base = place
            case "POS_END": base = waiting.count - 1
            default: throw RPCFailure("Illegal argument.")
            }
            let (target, isFar) = base.addingReportingOverflow(offset)
            return .integer(
                Int64(try await service.downloads.move(receipt, to: isFar ? offset : target)))
        },
        "aria2.changeUri": changeURI,
    ]

    private static let remove: Method = { service, parameters in
        let receipt = try await service.downloads.find(parameters.text(0))
        let manager = service.downloads.manager
        switch RPCStatus.name(receipt.state) {
        case "active": try await manager.cancel(.id(receipt.id))
        case "waiting", "paused": try await service.downloads.remove(.id(receipt.id))
        default: throw RPCFailure("Active Download not found for GID#\(GID(of: receipt))")
        }
        return .string(GID(of: receipt).description)
    }

    private static let pause: Method = { service, parameters in
        let receipt = try await service.downloads.find(parameters.text(0))
        guard ["active", "waiting"].contains(RPCStatus.name(receipt.state)) else {
            throw RPCFailure("GID#\(GID(of: receipt)) cannot be paused now")
        }
        try await service.downloads.manager.pause(.id(receipt.id))
        return .string(GID(of: receipt).description)
    }

    private static let pauseAll: Method = { service, _ in
        try await service.downloads.manager.pause(.all)
        return "OK"
    }

    private static let changeURI: Method = { service, parameters in
        let receipt = try await service.downloads.find(parameters.text(0))
        guard try parameters.count(1, from: 1) == 1 else { throw RPCFailure("fileIndex is out of range") }
        let (removed, added) = (try parameters.texts(2), try parameters.texts(3))
        guard !receipt.state.isFinal else {
            throw RPCFailure("Cannot remove URIs from GID#\(GID(of: receipt))")
        }
        var urls = ([receipt.source] + receipt.mirrors).map(\.url)
        let before = urls.count
        for url in removed { if let index = urls.firstIndex(of: url) { urls.remove(at: index) } }
        let deleted = before - urls.count
        let place = min(try parameters.position(4) ?? urls.count, urls.count)
        let valid = added.filter { (try? Source($0)) != nil }
        urls.insert(contentsOf: valid, at: place)
        let sources = try urls.map { try Source(named: $0) }
        try await service.downloads.manager.change(receipt.id) { (entry) throws(DownloadError) in
            guard let first = sources.first else {
                throw DownloadError(
                    .invalidSetting, "A download needs a URL; add another one before removing the last.")
            }
            entry.request.source = first
            entry.request.mirrors = sources.dropFirst().filter { $0.location == nil }
        }
        return [.integer(Int64(deleted)), .integer(Int64(valid.count))]
    }
}
