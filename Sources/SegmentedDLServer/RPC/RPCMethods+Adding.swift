internal import SegmentedDL
internal import SegmentedDLQueue

extension RPCMethods {
    static let adding: [String: Method] = [
        "aria2.addUri": { service, parameters in
            let urls = try parameters.texts(0)
            guard !urls.isEmpty else { throw RPCFailure("URI is not provided.") }
            let options = parameters.values.count > 1 ? try service.options(parameters.options(1)) : [:]
            let position = try parameters.position(2)
            let receipt = try await service.downloads.add(urls, options, position: position)
            return .string(GID(of: receipt).description)
        },
        "aria2.addTorrent": { _, _ in
            throw RPCFailure("segdl does not download torrents; use another program for them.")
        },
        "aria2.addMetalink": { _, _ in
            throw RPCFailure(
                "segdl takes Metalinks by segdl fetch --metalink, not by this call; add their URLs.")
        },
    ]
}

extension RPCService {
    /// Reads options of a download; unknown ones are passed over, as aria2 does.
    func options(_ members: [String: JSONValue]) throws(RPCFailure) -> [String: [String]] {
        var options: [String: [String]] = [:]
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard !RPCOption.isForbidden(name) else {
                throw RPCFailure(
                    "The option '\(name)' cannot be set by a call; it belongs to the daemon's start.")
            }
            guard let option = RPCOption.all[name], let values = try option.values(value) else { continue }
            options[name] = values
        }
        return options
    }
}
