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

    mutating func run() async throws {
        let path = Self.manifest(for: file)
        do {
            let info = try ManifestInfo(path: path)
            print(json ? InspectReport.json(info) : InspectReport.words(info, path: path.string))
        } catch {
            StandardError.write("segdl: \(error.message)\n")
            throw ExitCode(error.exitStatus)
        }
    }

    private static func manifest(for name: String) -> FilePath {
        if name.hasSuffix(".part.segdl") { return FilePath(name) }
        return FilePath(name.hasSuffix(".part") ? name + ".segdl" : name + ".part.segdl")
    }
}
