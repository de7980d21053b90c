import ArgumentParser
import SegmentedDL
import SystemPackage

struct Inspect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show the manifest of an unfinished download.",
        discussion: """
            A FILE may be the manifest (NAME.part.segdl), the part file or the final name.

            Examples:
              segdl inspect disk.iso
              segdl inspect *.part
            """)

    @Argument(
        help: ArgumentHelp("Manifests, part files, or final names.", valueName: "file"),
        completion: .file())
    var files: [String]

    @Flag(help: "As JSON.")
    var json = false

    func run() async throws {
        try await end {
            guard files.count > 1 else {
                try show(files[0])
                return 0
            }
            var status: Int32 = 0
            for file in files {
                do {
                    try show(file)
                } catch let error as DownloadError {
                    StandardError.write("segdl: \(error.commandMessage)\n")
                    status = 1
                }
            }
            return status
        }
    }

    private func show(_ file: String) throws {
        let path = Self.manifest(for: file)
        if !Self.isThere(path), Self.isThere(FilePath(file)) {
            throw DownloadError(
                .badPath,
                "'\(file)' is not an unfinished download, because it has no manifest ('\(path)'); segdl verify checks finished files."
            )
        }
        let info = try ManifestInfo(path: path)
        print(json ? InspectReport.json(info) : InspectReport.words(info, path: path.string))
    }

    private static func isThere(_ path: FilePath) -> Bool { (try? SystemCalls.status(path)) != nil }

    private static func manifest(for name: String) -> FilePath {
        if name.hasSuffix(".part.segdl") { return FilePath(name) }
        // The finished file may also have such a name.
        let own = DownloadPaths(FilePath(name)).manifest
        return name.hasSuffix(".part") && !isThere(own) ? FilePath(name + ".segdl") : own
    }
}
