internal import SegmentedDL

extension Interface {
    private enum MirrorAction: String, CaseIterable {
        case run, stop, remove
    }

    func listMirrors() async -> JSONValue {
        ["mirrors": .array(await mirrors.all.map(\.value))]
    }

    func addMirror(_ body: [String: JSONValue]) async throws(InterfaceError) -> JSONValue {
        let wanted = try NewMirror(body)
        do {
            return ["mirror": try await mirrors.add(wanted.order, isStopped: wanted.isStopped).value]
        } catch {
            throw InterfaceError(error)
        }
    }

    func mirror(_ id: String) async throws(InterfaceError) -> JSONValue {
        let id = try Self.mirrorID(id)
        do {
            return try await mirrors.mirror(id).details
        } catch {
            throw InterfaceError(error)
        }
    }

    /// Runs, stops or removes a mirror.
    func actOnMirror(_ id: String, _ body: [String: JSONValue]) async throws(InterfaceError) -> JSONValue {
        let id = try Self.mirrorID(id)
        guard body.count == 1, let action = (body["action"]?.text).flatMap(MirrorAction.init) else {
            let names = MirrorAction.allCases.map(\.rawValue).joined(separator: ", ")
            throw InterfaceError.bad("The body must contain only 'action', one of \(names).")
        }
        do {
            switch action {
            case .run: return ["mirror": try await mirrors.run(id).value]
            case .stop: return ["mirror": try await mirrors.stop(id).value]
            case .remove:
                try await mirrors.remove(id)
                return ["mirror": .null]
            }
        } catch {
            throw InterfaceError(error)
        }
    }

    private static func mirrorID(_ text: String) throws(InterfaceError) -> GID {
        guard let id = GID(text) else {
            throw InterfaceError(
                404, "notFound", "There is no mirror '\(Printable.text(text))'; it may have been removed.")
        }
        return id
    }
}
