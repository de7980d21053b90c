import ArgumentParser
import SegmentedDL
import SystemPackage

struct Inspect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show what the manifest of an unfinished download says.",
        discussion: """
            FILE may be the manifest (NAME.part.segdl), the part file or the final name.

            Example: segdl inspect disk.iso
            """)

    @Argument(
        help: ArgumentHelp("A manifest, a part file, or a final name.", valueName: "file"),
        completion: .file())
    var file: String

    @Flag(help: "As JSON.")
    var json = false

    func run() async throws {
        try await end {
            let path = Self.manifest(for: file)
            if !Self.isThere(path), Self.isThere(FilePath(file)) {
                throw DownloadError(
                    .badPath,
                    "'\(file)' is not an unfinished download, because it has no manifest ('\(path)'); segdl verify checks finished files."
                )
            }
            let info = try ManifestInfo(path: path)
            print(json ? InspectReport.json(info) : InspectReport.words(info, path: path.string))
            return 0
        }
    }

    private static func isThere(_ path: FilePath) -> Bool { (try? SystemCalls.status(path)) != nil }

    private static func manifest(for name: String) -> FilePath {
        if name.hasSuffix(".part.segdl") { return FilePath(name) }
        return FilePath(name.hasSuffix(".part") ? name + ".segdl" : name + ".part.segdl")
    }
}
