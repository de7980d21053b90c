import SegmentedDL
import SystemPackage

/// The files that a run writes besides its downloads, such as that of --failed. A download with the same name
/// would be overwritten by them.
struct RunOutputs: Sendable {
    /// The options by the resolved paths of their files.
    private var options: [FilePath: String] = [:]
    /// The last components of these paths: few downloads have one of these names.
    private var names: Set<String> = []

    init() {}

    /// - Parameter files: The options with the paths of their files. Devices and pipes are omitted, because
    ///   several options may write to them. Blocks.
    /// - Throws: `DownloadError` with code `invalidSetting` if two options name the same file.
    init(_ files: [(option: String, path: String?)]) throws(DownloadError) {
        for (option, path) in files {
            guard let path, !path.isEmpty else { continue }
            let status = try? SystemCalls.statusFollowingLinks(FilePath(path))
            guard status?.kind ?? .file == .file else { continue }
            let place = Self.resolved(FilePath(path))
            if let other = options.updateValue(option, forKey: place) {
                throw DownloadError(
                    .invalidSetting,
                    "\(other) and \(option) name the same file, '\(path)'; choose another name.")
            }
            if let name = place.lastComponent?.string { names.insert(name) }
        }
    }

    /// Returns the option that writes the file at a download's path, or at one of its incomplete files.
    /// Blocks only if the names are equal.
    func option(at path: FilePath) -> String? {
        guard !options.isEmpty else { return nil }
        let paths = DownloadPaths(path)
        for place in [path, paths.part, paths.manifest, paths.moving] {
            guard let name = place.lastComponent?.string, names.contains(name) else { continue }
            if let option = options[Self.resolved(place)] { return option }
        }
        return nil
    }

    /// Checks the names that are known before the servers respond. Blocks.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting`.
    func check(_ requests: RunRequests) throws(DownloadError) {
        guard !options.isEmpty else { return }
        for id in requests.indices {
            guard case .success(let request) = requests[id],
                let path = DestinationPath.expected(for: request), let option = option(at: path)
            else { continue }
            throw DownloadError(
                .invalidSetting,
                "The file of \(option) has the name of the download '\(path)', or of its incomplete file; choose another name."
            )
        }
    }

    private static func resolved(_ path: FilePath) -> FilePath {
        SystemCalls.resolved(path.lexicallyNormalized()).lexicallyNormalized()
    }
}
