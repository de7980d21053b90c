import ArgumentParser
import SegmentedDL
import SystemPackage

/// The queue's location.
struct QueueLocation: ParsableArguments {
    @Option(
        name: .customLong("queue"),
        help: ArgumentHelp(
            "The queue's database (default: $SEGDL_QUEUE, otherwise segdl/queue.sqlite in $XDG_STATE_HOME or ~/.local/state).",
            valueName: "file"),
        completion: .file())
    var file: String?

    /// The daemon's address from the environment, unless a database is given.
    var usualRemote: String? {
        guard file == nil, let usual = ProcessEnvironment.variable("SEGDL_REMOTE") else { return nil }
        return usual.isEmpty ? nil : usual
    }

    /// Returns the path of the database, and creates the directory of the default one.
    func path() throws(DownloadError) -> FilePath {
        if let file = file ?? ProcessEnvironment.variable("SEGDL_QUEUE"), !file.isEmpty {
            return FilePath(URL(fileURLWithPath: file).resolvingSymlinksInPath().path)
        }
        let state =
            ProcessEnvironment.variable("XDG_STATE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? ProcessEnvironment.variable("HOME").map { $0 + "/.local/state" }
        guard let state else {
            throw DownloadError(
                .badPath, "There is no home directory for the queue; specify its path (--queue).")
        }
        let directory = state + "/segdl"
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw DownloadError(
                .badPath,
                "Cannot create the directory '\(directory)' for the queue; choose another one (--queue).")
        }
        return FilePath(directory).appending("queue.sqlite")
    }
}
