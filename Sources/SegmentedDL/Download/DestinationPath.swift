internal import SystemPackage

/// The path of a download's file.
package enum DestinationPath {
    /// Returns the path as far as it is known before the server answers; `nil` if the URL contains no name.
    package static func expected(for request: DownloadRequest) -> FilePath? {
        switch request.destination {
        case .file(let path): path
        case .directory(let directory): name(for: request).map { directory.appending($0) }
        case .descriptor: nil
        }
    }

    /// Returns the path once the server has answered. If the destination is a directory, it is created only
    /// now, so that a missing remote file leaves no empty directory. Blocks.
    ///
    /// - Parameters:
    ///   - received: The name sent by the server; `nil` for the name in the request's URL.
    ///   - type: The content type of the response.
    static func path(
        for request: DownloadRequest, named received: String?, type: String? = nil
    ) throws -> FilePath {
        var path = expected(for: request)
        if case .directory(let directory) = request.destination, !request.naming.isDigest, let received {
            path = directory.appending(received)
        }
        guard let path else {
            let isPage = type?.lowercased().hasPrefix("text/html") ?? false
            throw DownloadError(
                .invalidURL, "\(request.source) has no file name; choose one.",
                url: request.source.description
            ).remedied(by: isPage ? .fileNameOrTree : .fileName)
        }
        if case .directory(let directory) = request.destination {
            try DestinationChoice.makeDirectory(directory)
        }
        return path
    }

    private static func name(for request: DownloadRequest) -> String? {
        let name = request.source.fileName
        guard request.naming.isDigest else { return name }
        let url = request.source.url.utf8
        let digest = request.naming == .urlMD5 ? Digest.text(of: url, .md5) : Digest.sha256(url)
        guard !digest.isEmpty else { return nil }
        let ending = name.flatMap { FilePath($0).extension }.map { "." + $0 } ?? ""
        return digest + (ending.utf8.count <= 20 ? ending : "")
    }
}
