internal import SegmentedDLOptions

extension RPCMethods {
    static let adding: [String: Method] = [
        "aria2.addUri": { service, parameters in
            let urls = try parameters.texts(0)
            guard !urls.isEmpty else { throw RPCFailure("URI is not provided.") }
            let options = try await service.wishes(parameters, at: 1)
            let position = try parameters.position(2)
            let receipt = try await service.downloads.add(urls, options, position: position)
            return .string(GID(of: receipt).description)
        },
        "aria2.addTorrent": { _, _ in
            throw RPCFailure("segdl does not download torrents; use another program for them.")
        },
        "aria2.addMetalink": { service, parameters in
            let document = try parameters.text(0)
            let options = try await service.wishes(parameters, at: 1)
            let position = try parameters.position(2)
            let files = try MetalinkUpload(document, selection: options["select-file"]?.first).files
            let receipts = try await service.downloads.add(files, options, position: position)
            return .array(receipts.map { .string(GID(of: $0).description) })
        },
    ]
}

extension RPCService {
    /// Reads the options of a download to add. Front-ends send back the options that they received, so a
    /// value that the download would have anyway is ignored and does not override the daemon's own choice.
    fileprivate func wishes(_ parameters: RPCParameters, at index: Int) async throws -> [String: [String]] {
        guard parameters.values.count > index else { return [:] }
        let options = try options(parameters.options(index))
        guard !options.isEmpty else { return [:] }
        let shown = await shownOptions()
        return options.filter { shown[$0.key]?.text != $0.value.joined(separator: "\n") }
    }

    /// Reads options of a download; unknown ones are ignored, as in aria2.
    func options(_ members: [String: JSONValue]) throws(RPCFailure) -> [String: [String]] {
        var options: [String: [String]] = [:]
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard !Aria2Option.isForbidden(name, value) else {
                throw RPCFailure(
                    "The option '\(name)' cannot be set by a call, only when the daemon is started.")
            }
            guard let option = Aria2Options.named[name], let call = option.call,
                let values = try option.values(value, usual: settings.fixed[name] ?? call.usual)
            else { continue }
            options[name] = values
        }
        return options
    }
}
