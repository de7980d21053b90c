internal import SystemPackage

extension FileDownload {
    /// Waits for the download's slot, and returns the facts in the first response; the body is discarded.
    func look() async throws -> RemoteFile {
        defer { slot.release() }
        do {
            try request.validate()
            try await slot.waitForStart()
            let first = try await primarySource(Attempt(for: request)).first
            defer { first.abandon() }
            let response = ResponseInfo(first.resource, in: first.response, of: request)
            return RemoteFile(
                response: response, name: wantedName(response),
                isResumable: first.resource.acceptsRanges && first.resource.length != nil,
                digest: first.resource.digest?.checksum)
        } catch {
            throw publicError(error)
        }
    }

    private func wantedName(_ response: ResponseInfo) -> String? {
        switch request.destination {
        case .file(let path): path.lastComponent?.string
        case .directory: response.suggestedName
        case .descriptor: nil
        }
    }
}
